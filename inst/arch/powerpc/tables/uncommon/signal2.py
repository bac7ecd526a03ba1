"""SPE2, the signal processing of e200z7 cores: registers of 64 bits, as in `signal`.

What is known of each follows from its name in SPE's scheme (SPE programming environments manual,
3.2): a name that ends in `a` sets the accumulator, one in `aa` or `an` adds to it, one in `3` adds
to its first operand.  What loads and stores do to the bytes they move is not known here, and those
in `mx` address a circular buffer: they are `form:opaque`.
"""

from __future__ import annotations

ARITHMETIC = """
    evcmpeqd evcmpgtds evcmpgtdu evcmpltds evcmpltdu | cd,s,s | wide
    evsplatfib evsplatfibo evsplatfid evsplatfih evsplatfiho evsplatfio evsplatib | d,i | wide
    evsplatibe evsplatid evsplatie evsplatih evsplatihe | d,i | wide
    evsubifb evsubifh | d,i,s | wide
    evabsb evabsbs evabsd evabsds evabsh evabshs evabss evcntlsh evcntlzh evdiff2his | d,s | wide
    evextsbh evextsw evextzb evmaxbpsh evmaxbpuh evmaxhpsw evmaxhpuw evmaxwpsd | d,s | wide
    evmaxwpud evminbpsh evminbpuh evminhpsw evminhpuw evminwpsd evminwpud evnegb | d,s | wide
    evnegbo evnegbos evnegbs evnegd evnegds evnegh evnegho evneghos evneghs evnegs | d,s | wide
    evnegwo evnegwos evpopcntb evrnddnw evrnddnwss evrnddnwus evrnddw evrnddwss | d,s | wide
    evrnddwus evrndhb evrndhbss evrndhbus evrndhnb evrndhnbss evrndhnbus evrndwh | d,s | wide
    evrndwhss evrndwhus evrndwnh evrndwnhss evrndwnhus evsatsbub evsatsdsw evsatsduw | d,s | wide
    evsatshsb evsatshub evsatshuh evsatswgsdf evsatswsh evsatswuh evsatswuw evsatubsb | d,s | wide
    evsatuduw evsatuhsh evsatuhub evsatuwsw evsatuwuh evsum2his evsum2hs evsum2hu | d,s | wide
    evsum4bs evsum4bu evsumws evsumwu evunpkhibsi evunpkhibui evunpkhihf evunpkhihsi | d,s | wide
    evunpkhihui evunpkhiwgsf evunpklobsi evunpklobui evunpklohf evunpklohsi | d,s | wide
    evunpklohui evunpklowgsf | d,s | wide
    evaddib evaddih evclrbe evclrbo evclrh evrlbi evrlhi evslbi evslhi evsli evsloi | d,s,i | wide
    evsplatb evsplath evsrbis evsrbiu evsrhis evsrhiu evsris evsriu evsrois evsroiu | d,s,i | wide
    circinc evabsdifsb evabsdifsh evabsdifsw evabsdifub evabsdifuh evabsdifuw | d,s,s | wide
    evadd2subf2h evadd2subf2hss evaddb evaddbss evaddbus evaddd evadddss evadddus | d,s,s | wide
    evaddh evaddhhisw evaddhhiuw evaddhlosw evaddhlouw evaddhss evaddhus evaddhx | d,s,s | wide
    evaddhxss evaddhxus evaddsubfh evaddsubfhss evaddsubfhx evaddsubfhxss evaddsubfw | d,s,s | wide
    evaddsubfwss evaddsubfwx evaddsubfwxss evaddwegsf evaddwegsi evaddwogsf | d,s,s | wide
    evaddwogsi evaddwss evaddwus evaddwx evaddwxss evaddwxus evavgbs evavgbsr | d,s,s | wide
    evavgbu evavgbur evavgds evavgdsr evavgdu evavgdur evavghs evavghsr evavghu | d,s,s | wide
    evavghur evavgws evavgwsr evavgwu evavgwur evdivs evdivu evdivwsf evdivwuf | d,s,s | wide
    evdlveb evdlveh evdlveob evdlveoh evdlvob evdlvoeb evdlvoeh evdlvoh | d,s,s | wide
    evdotp4hgasmf evdotp4hgasmi evdotp4hgasumi evdotp4hgaumi evdotp4hgssmf | d,s,s | wide
    evdotp4hgssmi evdotp4hxgasmf evdotp4hxgasmi evdotp4hxgssmf evdotp4hxgssmi | d,s,s | wide
    evdotpbasmi evdotpbasumi evdotpbaumi evdotphasmi evdotphassf evdotphassfr | d,s,s | wide
    evdotphassi evdotphasumi evdotphasusi evdotphaumi evdotphausi evdotphihcsmi | d,s,s | wide
    evdotphihcssf evdotphihcssfr evdotphihcssi evdotphssmi evdotphsssf evdotphsssfr | d,s,s | wide
    evdotphsssi evdotplohcsmi evdotplohcssf evdotplohcssfr evdotplohcssi evdotpwasmi | d,s,s | wide
    evdotpwassi evdotpwasumi evdotpwasusi evdotpwaumi evdotpwausi evdotpwcsmi | d,s,s | wide
    evdotpwcssf evdotpwcssfr evdotpwcssi evdotpwgasmf evdotpwgasmfr evdotpwgssmf | d,s,s | wide
    evdotpwgssmfr evdotpwssmi evdotpwsssi evdotpwxgasmf evdotpwxgasmfr evdotpwxgssmf | d,s,s | wide
    evdotpwxgssmfr evilveh evilveoh evilvhih evilvhiloh evilvloh evilvlohih evilvoeh | d,s,s | wide
    evilvoh evlvsl evlvsr evmaxbs evmaxbu evmaxds evmaxdu evmaxhs evmaxhu evmaxmagws | d,s,s | wide
    evmaxws evmaxwu evmbesmi evmbesmianh evmbessianh evmbesumi evmbesumianh | d,s,s | wide
    evmbesusianh evmbeumi evmbeumianh evmbeusianh evmbosmi evmbosmianh evmbossianh | d,s,s | wide
    evmbosumi evmbosumianh evmbosusianh evmboumi evmboumianh evmbousianh evmhesumi | d,s,s | wide
    evmhosumi evmhssf evmhssfr evmhssi evmhsusi evmhumi evmhusi evminbs evminbu | d,s,s | wide
    evminds evmindu evminhs evminhu evminws evminwu evmwehgsmf evmwehgsmfr evmwhssfr | d,s,s | wide
    evmwohgsmf evmwohgsmfr evmwssiw evmwusiw evperm evperm2 evpksdshefrs evpksdswfrs | d,s,s | wide
    evpksdsws evpkshsbs evpkshubs evpkswgshefrs evpkswgswfrs evpkswshfrs | d,s,s | wide
    evpkswshilvfrs evpkswshilvs evpkswshs evpkswuhs evpkuduws evpkuhubs evpkuwuhs | d,s,s | wide
    evrlb evrlh evsad2sh evsad2uh evsad4sb evsad4ub evsadsw evsaduw evselbit | d,s,s | wide
    evselbitm0 evselbitm1 evseteqb evseteqb. evseteqh evseteqh. evseteqw evseteqw. | d,s,s | wide
    evsetgtbs evsetgtbs. evsetgtbu evsetgtbu. evsetgths evsetgths. evsetgthu | d,s,s | wide
    evsetgthu. evsetgtws evsetgtws. evsetgtwu evsetgtwu. evsetltbs evsetltbs. | d,s,s | wide
    evsetltbu evsetltbu. evsetlths evsetlths. evsetlthu evsetlthu. evsetltws | d,s,s | wide
    evsetltws. evsetltwu evsetltwu. evsl evslb evslh evsrbs evsrbu evsrhs evsrhu | d,s,s | wide
    evsrs evsru evsubf2add2h evsubf2add2hss evsubfaddh evsubfaddhss evsubfaddhx | d,s,s | wide
    evsubfaddhxss evsubfaddw evsubfaddwss evsubfaddwx evsubfaddwxss evsubfb | d,s,s | wide
    evsubfbss evsubfbus evsubfd evsubfdss evsubfdus evsubfh evsubfhhisw evsubfhhiuw | d,s,s | wide
    evsubfhlosw evsubfhlouw evsubfhss evsubfhus evsubfhx evsubfhxss evsubfhxus | d,s,s | wide
    evsubfwegsf evsubfwegsi evsubfwogsf evsubfwogsi evsubfwss evsubfwus evsubfwx | d,s,s | wide
    evsubfwxss evsubfwxus evswapbhilo evswapblohi evswaphe evswaphhi evswaphhilo | d,s,s | wide
    evswaphlo evswaphlohi evswapho | d,s,s | wide
    evinsb evinsh evxtrb evxtrh | m,s,i,i | wide
    evdotp4hgasmfaa3 evdotp4hgasmiaa3 evdotp4hgasumiaa3 evdotp4hgaumiaa3 | m,s,s | wide
    evdotp4hgssmfaa3 evdotp4hgssmiaa3 evdotp4hxgasmfaa3 evdotp4hxgasmiaa3 | m,s,s | wide
    evdotp4hxgssmfaa3 evdotp4hxgssmiaa3 evdotpbasmiaaw3 evdotpbasumiaaw3 | m,s,s | wide
    evdotpbaumiaaw3 evdotphasmiaaw3 evdotphassfaaw3 evdotphassfraaw3 evdotphassiaaw3 | m,s,s | wide
    evdotphasumiaaw3 evdotphasusiaaw3 evdotphaumiaaw3 evdotphausiaaw3 | m,s,s | wide
    evdotphihcsmiaaw3 evdotphihcssfaaw3 evdotphihcssfraaw3 evdotphihcssiaaw3 | m,s,s | wide
    evdotphssmiaaw3 evdotphsssfaaw3 evdotphsssfraaw3 evdotphsssiaaw3 | m,s,s | wide
    evdotplohcsmiaaw3 evdotplohcssfaaw3 evdotplohcssfraaw3 evdotplohcssiaaw3 | m,s,s | wide
    evdotpwasmiaa3 evdotpwassiaa3 evdotpwasumiaa3 evdotpwasusiaa3 evdotpwaumiaa3 | m,s,s | wide
    evdotpwausiaa3 evdotpwcsmiaaw3 evdotpwcssfaaw3 evdotpwcssfraaw3 evdotpwcssiaaw3 | m,s,s | wide
    evdotpwgasmfaa3 evdotpwgasmfraa3 evdotpwgssmfaa3 evdotpwgssmfraa3 evdotpwssmiaa3 | m,s,s | wide
    evdotpwsssiaa3 evdotpwxgasmfaa3 evdotpwxgasmfraa3 evdotpwxgssmfaa3 | m,s,s | wide
    evdotpwxgssmfraa3 evmwhssfaaw3 evmwhssfanw3 evmwhssfraaw3 evmwhssfranw3 | m,s,s | wide
    evmwlsmiaaw3 evmwlsmianw3 evmwlssiaaw3 evmwlssianw3 evmwlumiaaw3 evmwlumianw3 | m,s,s | wide
    evmwlusiaaw3 evmwlusianw3 evperm3 | m,s,s | wide
    evxtrd | m,s,s,i | wide
    evsplatfia evsplatfiba evsplatfiboa evsplatfida evsplatfiha evsplatfihoa | d,i | wide sets
    evsplatfioa evsplatia evsplatiba evsplatibea evsplatida evsplatiea evsplatiha | d,i | wide sets
    evsplatihea | d,i | wide sets
    evdiff2hisa evsum2hisa evsum2hsa evsum2hua evsum4bsa evsum4bua evsumwsa | d,s | wide sets
    evsumwua | d,s | wide sets
    evdotp4hgasmfa evdotp4hgasmia evdotp4hgasumia evdotp4hgaumia evdotp4hgssmfa | d,s,s | wide sets
    evdotp4hgssmia evdotp4hxgasmfa evdotp4hxgasmia evdotp4hxgssmfa | d,s,s | wide sets
    evdotp4hxgssmia evdotpbasmia evdotpbasumia evdotpbaumia evdotphasmia | d,s,s | wide sets
    evdotphassfa evdotphassfra evdotphassia evdotphasumia evdotphasusia | d,s,s | wide sets
    evdotphaumia evdotphausia evdotphihcsmia evdotphihcssfa evdotphihcssfra | d,s,s | wide sets
    evdotphihcssia evdotphssmia evdotphsssfa evdotphsssfra evdotphsssia | d,s,s | wide sets
    evdotplohcsmia evdotplohcssfa evdotplohcssfra evdotplohcssia evdotpwasmia | d,s,s | wide sets
    evdotpwassia evdotpwasumia evdotpwasusia evdotpwaumia evdotpwausia | d,s,s | wide sets
    evdotpwcsmia evdotpwcssfa evdotpwcssfra evdotpwcssia evdotpwgasmfa | d,s,s | wide sets
    evdotpwgasmfra evdotpwgssmfa evdotpwgssmfra evdotpwssmia evdotpwsssia | d,s,s | wide sets
    evdotpwxgasmfa evdotpwxgasmfra evdotpwxgssmfa evdotpwxgssmfra evmbesmia | d,s,s | wide sets
    evmbesumia evmbeumia evmbosmia evmbosumia evmboumia evmhesumia evmhosumia | d,s,s | wide sets
    evmwehgsmfa evmwehgsmfra evmwhssfra evmwohgsmfa evmwohgsmfra evsad2sha | d,s,s | wide sets
    evsad2uha evsad4sba evsad4uba evsadswa evsaduwa | d,s,s | wide sets
    evmar | d | wide accumulates
    evaddsmiaa evaddssiaa evaddusiaa evdiff2hisaaw evsubfsmiaa evsubfssiaa | d,s | wide accumulates
    evsubfusiaa evsum2hisaaw evsum2hsaaw evsum2huaaw evsum4bsaaw | d,s | wide accumulates
    evsum4buaaw evsumwsaa evsumwuaa | d,s | wide accumulates
    evdotp4hgasmfaa evdotp4hgasmiaa evdotp4hgasumiaa evdotp4hgaumiaa | d,s,s | wide accumulates
    evdotp4hgssmfaa evdotp4hgssmiaa evdotp4hxgasmfaa evdotp4hxgasmiaa | d,s,s | wide accumulates
    evdotp4hxgssmfaa evdotp4hxgssmiaa evdotpbasmiaaw evdotpbasumiaaw | d,s,s | wide accumulates
    evdotpbaumiaaw evdotphasmiaaw evdotphassfaaw evdotphassfraaw | d,s,s | wide accumulates
    evdotphassiaaw evdotphasumiaaw evdotphasusiaaw evdotphaumiaaw | d,s,s | wide accumulates
    evdotphausiaaw evdotphihcsmiaaw evdotphihcssfaaw evdotphihcssfraaw | d,s,s | wide accumulates
    evdotphihcssiaaw evdotphssmiaaw evdotphsssfaaw evdotphsssfraaw | d,s,s | wide accumulates
    evdotphsssiaaw evdotplohcsmiaaw evdotplohcssfaaw evdotplohcssfraaw | d,s,s | wide accumulates
    evdotplohcssiaaw evdotpwasmiaa evdotpwassiaa evdotpwasumiaa | d,s,s | wide accumulates
    evdotpwasusiaa evdotpwaumiaa evdotpwausiaa evdotpwcsmiaaw | d,s,s | wide accumulates
    evdotpwcssfaaw evdotpwcssfraaw evdotpwcssiaaw evdotpwgasmfaa | d,s,s | wide accumulates
    evdotpwgasmfraa evdotpwgssmfaa evdotpwgssmfraa evdotpwssmiaa | d,s,s | wide accumulates
    evdotpwsssiaa evdotpwxgasmfaa evdotpwxgasmfraa evdotpwxgssmfaa | d,s,s | wide accumulates
    evdotpwxgssmfraa evmbesmiaah evmbessiaah evmbesumiaah evmbesusiaah | d,s,s | wide accumulates
    evmbeumiaah evmbeusiaah evmbosmiaah evmbossiaah evmbosumiaah | d,s,s | wide accumulates
    evmbosusiaah evmboumiaah evmbousiaah evmhesumiaaw evmhesumianw | d,s,s | wide accumulates
    evmhesusiaaw evmhesusianw evmhosumiaaw evmhosumianw evmhosusiaaw | d,s,s | wide accumulates
    evmhosusianw evmwehgsmfaa evmwehgsmfan evmwehgsmfraa evmwehgsmfran | d,s,s | wide accumulates
    evmwhssfaaw evmwhssfanw evmwhssfraaw evmwhssfranw evmwohgsmfaa | d,s,s | wide accumulates
    evmwohgsmfan evmwohgsmfraa evmwohgsmfran evmwssiaa evmwssian | d,s,s | wide accumulates
    evmwusiaa evmwusian evsad2shaaw evsad2uhaaw evsad4sbaaw evsad4ubaaw | d,s,s | wide accumulates
    evsadswaa evsaduwaa | d,s,s | wide accumulates
"""

MEMORY = """
    evlbbsplatbx | d,a,x | wide load:1 form:opaque
    evlhhsplathx | d,a,x | wide load:2 form:opaque
    evlwbex evlwbosx evlwboux evlwbsplatwx evlwhsplatwx | d,a,x | wide load:4 form:opaque
    evldbx | d,a,x | wide load:8 form:opaque
    evlbbsplatbmx | d,au,x | wide load:1 form:opaque
    evlhhesplatmx evlhhossplatmx evlhhousplatmx evlhhsplathmx | d,au,x | wide load:2 form:opaque
    evlwbemx evlwbosmx evlwboumx evlwbsplatwmx evlwhemx | d,au,x | wide load:4 form:opaque
    evlwhosmx evlwhoumx evlwhsplatmx evlwhsplatwmx evlwwsplatmx | d,au,x | wide load:4 form:opaque
    evldbmx evlddmx evldhmx evldwmx | d,au,x | wide load:8 form:opaque
    evlbbsplatb | d,mem | wide load:1 form:opaque
    evlhhsplath | d,mem | wide load:2 form:opaque
    evlwbe evlwbos evlwbou evlwbsplatw evlwhsplatw | d,mem | wide load:4 form:opaque
    evldb | d,mem | wide load:8 form:opaque
    evlbbsplatbu | d,memu | wide load:1 form:opaque
    evlhhesplatu evlhhossplatu evlhhousplatu evlhhsplathu | d,memu | wide load:2 form:opaque
    evlwbeu evlwbosu evlwbouu evlwbsplatwu evlwheu evlwhosu | d,memu | wide load:4 form:opaque
    evlwhouu evlwhsplatu evlwhsplatwu evlwwsplatu | d,memu | wide load:4 form:opaque
    evldbu evlddu evldhu evldwu | d,memu | wide load:8 form:opaque
    evsthbx | s,a,x | uses:upper store:2 form:opaque
    evstwbex evstwbox evstwbx | s,a,x | uses:upper store:4 form:opaque
    evstdbx | s,a,x | uses:upper store:8 form:opaque
    evsthbmx | s,au,x | uses:upper store:2 form:opaque
    evstwbemx evstwbmx evstwbomx evstwhemx evstwhomx | s,au,x | uses:upper store:4 form:opaque
    evstwwemx evstwwomx | s,au,x | uses:upper store:4 form:opaque
    evstdbmx evstddmx evstdhmx evstdwmx | s,au,x | uses:upper store:8 form:opaque
    evsthb | s,mem | uses:upper store:2 form:opaque
    evstwb evstwbe evstwbo | s,mem | uses:upper store:4 form:opaque
    evstdb | s,mem | uses:upper store:8 form:opaque
    evsthbu | s,memu | uses:upper store:2 form:opaque
    evstwbeu evstwbou evstwbu evstwheu evstwhou evstwweu | s,memu | uses:upper store:4 form:opaque
    evstwwou | s,memu | uses:upper store:4 form:opaque
    evstdbu evstddu evstdhu evstdwu | s,memu | uses:upper store:8 form:opaque
"""

TABLES = (ARITHMETIC, MEMORY)
