"""Reports as JSON, JUnit XML and SARIF, for machines."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from inst import __version__
from inst.check.fingerprint import NAME, fingerprints
from inst.check.registry import codes, explain, module
from inst.common.wholefile import whole_file
from inst.errors import InstError
from inst.trace.finding import ERROR, Finding, Report

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def plain(report: Report) -> dict[str, Any]:
    """Return a report as what JSON can hold."""
    return {
        "file": report.file,
        "checks": list(report.checks),
        "records": report.records,
        "findings": [
            asdict(finding) | {"explanation": explain(finding.code)} for finding in report.findings
        ],
        "counts": report.counts,
        "notes": report.notes,
        "incomplete": report.incomplete,
        "error": report.error.render() if report.error else None,
        "damaged_programs": [error.render() for error in report.programs],
    }


def junit(reports: list[Report]) -> str:
    """Return reports as JUnit XML: a suite for each trace, a case for each check."""
    root = ElementTree.Element("testsuites", name="inst check")
    for report in reports:
        _suite(root, report)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ElementTree.Element, report: Report) -> None:
    cases = [(name, _of(report, name)) for name in report.checks]
    failing = sum(1 for _, found in cases if found)
    damaged = 1 if report.error else 0
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=_xml(report.file),
        tests=str(len(cases) + damaged),
        failures=str(failing),
        errors=str(damaged),
    )
    for name, found in cases:
        case = ElementTree.SubElement(suite, "testcase", name=name, classname=_xml(report.file))
        if found:
            first = f"{found[0].message} [{found[0].code}]"
            failure = ElementTree.SubElement(case, "failure", message=_xml(first))
            failure.set("type", found[0].code)
            failure.text = _xml("\n".join(_lines(found)))
    if report.error:
        case = ElementTree.SubElement(suite, "testcase", name="read", classname=_xml(report.file))
        error = ElementTree.SubElement(case, "error", message=_xml(report.error.message))
        error.text = _xml(report.error.render())


def _of(report: Report, name: str) -> list[Finding]:
    known = module(name).CODES
    return [finding for finding in report.findings if finding.code in known]


def _lines(found: list[Finding]) -> list[str]:
    from inst.check.text import Writer

    report = Report("", (), found)
    return list(Writer(colour=False).lines(report))


def _xml(text: str) -> str:
    """Return the text without the characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("�", text)


def sarif(reports: list[Report]) -> dict[str, Any]:
    """Return reports as one SARIF 2.1.0 run, whose rules are the finding codes."""
    known = codes()
    rules = sorted({finding.code for report in reports for finding in report.findings})
    driver = {
        "name": "inst",
        "version": __version__,
        "rules": [
            {
                "id": code,
                "shortDescription": {"text": known[code][1]},
                "properties": {"check": known[code][0]},
            }
            for code in rules
        ],
    }
    findings = [finding for report in reports for finding in report.findings]
    marks = zip(findings, fingerprints(findings), strict=True)
    results = [_result(finding, rules) | {"partialFingerprints": {NAME: mark}}
               for finding, mark in marks]  # fmt: skip
    failed = [
        {"level": "error", "message": {"text": error.render()}}
        for report in reports
        for error in (report.error, *report.programs)
        if error
    ]
    invocation = {"executionSuccessful": not failed, "toolExecutionNotifications": failed}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, rules: list[str]) -> dict[str, Any]:
    text = [finding.message, *finding.state]
    if finding.expected:
        text.append(f"Expected: {finding.expected}")
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rules.index(finding.code),
        "level": "error" if finding.severity == ERROR else "warning",
        "message": {"text": "\n".join(text)},
        "locations": [_location(finding)],
        "properties": {"record": finding.record, "id": finding.id, "thread": finding.thread},
    }
    related = [_trace_location(finding)] if finding.site else []
    for other in finding.others:
        place = _physical(other.site) if other.site else {}
        related.append({**place, "message": {"text": f"record {other.record}: {other.text}"}})
    if related:
        result["relatedLocations"] = related
    return result


def _location(finding: Finding) -> dict[str, Any]:
    """Return the place in the source if it is known, else the place in the trace."""
    if not finding.site:
        return _trace_location(finding)
    location = _physical(finding.site)
    if finding.function:
        location["logicalLocations"] = [{"name": finding.function, "kind": "function"}]
    return location


def _physical(site: str) -> dict[str, Any]:
    file, _, line = site.rpartition(":")
    if not file or not line.isdecimal():
        file, line = site, ""
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
    if line and int(line):
        physical["region"] = {"startLine": int(line)}
    return {"physicalLocation": physical}


def _trace_location(finding: Finding) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file)}}
    if finding.line:
        physical["region"] = {"startLine": finding.line}
    elif finding.byte is not None:
        physical["region"] = {"byteOffset": finding.byte}
    text = f"record {finding.record} of the trace"
    return {"physicalLocation": physical, "message": {"text": text}}


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path.encode("utf-8", "surrogateescape"))


def write_text(path: str, text: str) -> None:
    """Write a file, whole or not at all."""
    try:
        with whole_file(Path(path)) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise InstError(f"cannot write {path}: {error.strerror}") from error
