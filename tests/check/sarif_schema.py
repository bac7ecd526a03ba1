"""What SARIF 2.1.0 demands of the parts that are written: a schema after the standard's text.

Sections of the OASIS standard: 3.13 log, 3.14 run, 3.18 tool, 3.19 toolComponent, 3.20
invocation, 3.27 result, 3.28 location, 3.29 physicalLocation, 3.30 region, 3.33
logicalLocation, 3.49 reportingDescriptor, 3.58 notification. Each object is closed, but for
property bags (3.8), so that a misspelt name is found.
"""

from __future__ import annotations

from typing import Any


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def _list(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


TEXT = {"type": "string"}
FILLED = {"type": "string", "minLength": 1}
BAG = {"type": "object"}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = _object("text", text=FILLED)
REGION = {
    **_object("", startLine={"type": "integer", "minimum": 1},
              byteOffset={"type": "integer", "minimum": 0}),
    "minProperties": 1,
}  # fmt: skip
URI = {"type": "string", "pattern": r"^[A-Za-z0-9%._~/:@!$&'()*+,;=-]+$"}
PHYSICAL = _object("artifactLocation", artifactLocation=_object("uri", uri=URI), region=REGION)
LOGICAL = _object("name", name=FILLED, kind=FILLED)
LOCATION = _object("", physicalLocation=PHYSICAL, logicalLocations=_list(LOGICAL), message=MESSAGE)
FINGERPRINTS = {
    "type": "object",  # 3.27.17: versioned hierarchical strings (3.5.4.2)
    "patternProperties": {r"^[^/]+(/[^/]+)*/v[0-9]+$": FILLED},
    "additionalProperties": False,
    "minProperties": 1,
}
RULE = _object("id", id=FILLED, shortDescription=MESSAGE, properties=BAG)
RESULT = _object(
    "message ruleId",
    ruleId=FILLED,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations=_list(LOCATION),
    relatedLocations=_list(LOCATION),
    partialFingerprints=FINGERPRINTS,
    properties=BAG,
)
NOTIFICATION = _object("message", message=MESSAGE, level=LEVEL)
INVOCATION = _object(
    "executionSuccessful",
    executionSuccessful={"type": "boolean"},
    toolExecutionNotifications=_list(NOTIFICATION),
)
DRIVER = _object("name", name=FILLED, version=FILLED, rules=_list(RULE, uniqueItems=True))
RUN = _object(
    "tool", tool=_object("driver", driver=DRIVER), invocations=_list(INVOCATION),
    results=_list(RESULT),
)  # fmt: skip
LOG = _object(
    "version runs",
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"const": "2.1.0"},
    runs=_list(RUN),
)
