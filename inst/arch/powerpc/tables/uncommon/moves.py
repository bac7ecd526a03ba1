"""Special-purpose registers by name: `mfNAME` and `mtNAME`.

Most are privileged, and none of them matters to code around a probe; those that do are rows.
"""

from __future__ import annotations

BOTH = """
    amor amr asdr asr bar bbear bbtar bear bescr bescrr bescrru bescrs bescrsu besr br0 br1
    br2 br3 br4 br5 br6 br7 ccr0 ccr1 cdbcr ciabr clcsr cmpa cmpb cmpc cmpd cmpe cmpf cmpg
    cmph counta countb csrr0 csrr1 ctrl dabr dac1 dac2 dawr0 dawr1 dawrx0 dawrx1 dbcr0 dbcr1
    dbcr2 dbdr dbsr dccr dcwr dear der dmacc0 dmacc1 dmacc2 dmacc3 dmacr0 dmacr1 dmacr2 dmacr3
    dmact0 dmact1 dmact2 dmact3 dmada0 dmada1 dmada2 dmada3 dmal dmasa0 dmasa1 dmasa2 dmasa3
    dmasr dmau dpdes dscr dvc1 dvc2 dvlim dvndx ear ebbhr ebbrr esr evpr exier exisr fscr hdar
    hdec hdisr heir hfscr hid0 hid1 hid2 hid4 hmeer hmer hpsscr hrmor hsprg0 hsprg1 hsrr0
    hsrr1 iabr iac1 iac2 iac3 iac4 iamr ic iccr icdbdr icr ictc ictrl iocr ivlim ivndx ivor0
    ivor1 ivor10 ivor11 ivor12 ivor13 ivor14 ivor15 ivor2 ivor3 ivor32 ivor33 ivor34 ivor35
    ivor4 ivor5 ivor6 ivor7 ivor8 ivor9 ivpr l2cr lctrl1 lctrl2 mcsr mcsrr0 mcsrr1
    mmcr0 mmcr1 mmcr2 mmcr3 mmcra pbl1 pbl2 pbu1 pbu2 pcr pidr pit pmc1 pmc2 pmc3 pmc4
    pmc5 pmc6 ppr32 pspb psscr purr rpr rtcl rtcu sdar sdr0 sgr sia siar sier sier2
    sier3 sler smfctrl spurr srr2 srr3 su0r tbhi tblo tcr thrm1 thrm2 thrm3 tid tsr uamor uamr
    udscr ummcr0 ummcr1 ummcr2 ummcra upmc1 upmc2 upmc3 upmc4 upmc5 upmc6 urmor usia usprg0
    usprg1 usrr0 usrr1 vtb wpar zpr
"""

READ_ONLY = """
    dc_adr dc_cst dc_dat dcdbtrh dcdbtrl dpdr dpir ic_adr ic_cst ic_dat icdbtr immr m_casid
    m_tw mcar md_ap md_ctr md_dbcam md_dbram0 md_dbram1 md_epn md_rpn md_twb md_twc mi_ap
    mi_ctr mi_dbcam mi_dbram0 mi_dbram1 mi_epn mi_rpn mi_twc mmucr pir rstcfg tir ummcr3 usdar
    usiar usier usier2 usier3 usprg3
"""

WRITE_ONLY = """
    cfar decar rmmucr tbl tbu tbu40 texasr texasru tfhar tfiar
"""

NAMED = """
    mfmq                                  | d         | uses:mq
    mtmq                                  | s         | defs:mq
    mftar                                 | d         | uses:tar
    mttar                                 | s         | defs:tar
    mfspefscr                             | d         | uses:spefscr
    mtspefscr                             | s         | defs:spefscr
    mfsprg mf{i,d}bat{u,l} mfgqr mfbhrbe  | d,i       |
    mf{pid,lpidr,lpcr,ptcr,sdr1}          | d         |
    mt{pid,lpidr,lpcr,ptcr,sdr1}          | s         | event:sysreg
    mt{i,d}bat{u,l}                       | i,s       | event:sysreg
    mtsprg mtgqr mtsrd                    | i,s       |
    mfsrin                                | d,s       |
    mtsrin mtsrdin                        | s,s       |
    mtsle                                 | i         |
"""


def _moves() -> str:
    """Return the rows of all registers that only have a name."""
    read, written = (READ_ONLY + BOTH).split(), (WRITE_ONLY + BOTH).split()
    return f"mf{{{','.join(read)}}} | d |\nmt{{{','.join(written)}}} | s |"


TABLES = (NAMED, _moves())
