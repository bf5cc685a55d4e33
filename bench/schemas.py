# SPDX-License-Identifier: Apache-2.0
"""The schemas of data.py's documents that come with none of their own."""

GEO = {"type": "object", "required": ["type", "features"], "properties": {
    "type": {"const": "FeatureCollection"},
    "features": {"type": "array", "items": {
        "type": "object", "required": ["type", "properties", "geometry"],
        "properties": {
            "type": {"const": "Feature"}, "properties": {"type": "object"},
            "geometry": {
                "type": "object", "required": ["type", "coordinates"],
                "properties": {
                    "type": {"enum": ["Point", "Polygon"]},
                    "coordinates": {"type": "array", "items": {
                        "type": "array", "minItems": 4, "items": {
                            "type": "array", "minItems": 2, "maxItems": 3,
                            "items": {"type": "number"}}}}}}}}}}}


def event_branch(kind, **properties):
    members = {"id": {"type": "integer", "minimum": 0},
               "at": {"type": "integer", "minimum": 0},
               "kind": {"const": kind}, **properties}
    return {"type": "object", "required": list(members),
            "properties": members, "additionalProperties": False}


EVENT = {"oneOf": [
    event_branch("start"), event_branch("stop"),
    event_branch("message", text={"type": "string", "maxLength": 4000}),
    event_branch("call", tool={"type": "string", "pattern": "^\\S+$"},
                 arguments={"type": "object"}),
    event_branch("error", code={"type": "integer", "minimum": 400,
                                "maximum": 599}, text={"type": "string"})]}

TREE = {"anyOf": [
    {"type": ["string", "number", "boolean", "null"]},
    {"type": "array", "items": {"$ref": "#"}},
    {"type": "object", "required": ["node", "children"],
     "additionalProperties": False, "properties": {
         "node": {"type": "string"},
         "children": {"type": "array", "items": {"$ref": "#"}}}}]}

ROWS = {"type": "object", "required": ["source", "rows"],
        "additionalProperties": False, "properties": {
            "source": {"type": "string", "minLength": 1},
            "rows": {"type": "array", "items": {
                "type": "object", "additionalProperties": False,
                "required": ["name", "population", "share", "active"],
                "properties": {
                    "name": {"type": "string", "minLength": 1},
                    "population": {"type": "integer", "minimum": 0},
                    "share": {"type": "number", "minimum": 0, "maximum": 1},
                    "active": {"type": "boolean"}}}}}}
LOG = {"type": "array", "items": EVENT}

NAMES = {"type": "object", "additionalProperties": {"type": "string"}}
PERSON = {"anyOf": [
    {"type": "string"},
    {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "email": {"type": "string"},
        "url": {"type": "string"}}}]}
# The main members of npm's package.json, as its documentation states them.
MANIFEST = {
    "type": "object", "required": ["name", "version"], "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 214,
                 "pattern": "^(@[a-z0-9._~-]+/)?[a-z0-9._~-]+$"},
        "version": {"type": "string",
                    "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$"},
        "description": {"type": "string"},
        "keywords": {"type": "array", "items": {"type": "string"}},
        "license": {"type": "string"}, "author": PERSON,
        "contributors": {"type": "array", "items": PERSON},
        "files": {"type": "array", "items": {"type": "string"}},
        "main": {"type": "string"}, "private": {"type": "boolean"},
        "type": {"enum": ["module", "commonjs"]},
        "bin": {"anyOf": [{"type": "string"}, NAMES]},
        "repository": {"anyOf": [
            {"type": "string"},
            {"type": "object", "required": ["type", "url"], "properties": {
                "type": {"type": "string"}, "url": {"type": "string"},
                "directory": {"type": "string"}}}]},
        "scripts": NAMES, "engines": NAMES, "dependencies": NAMES,
        "devDependencies": NAMES, "peerDependencies": NAMES,
        "optionalDependencies": NAMES,
        "exports": {"type": ["string", "object", "array", "null"]}},
    "patternProperties": {"^(bundled|bundle)Dependencies$": {
        "type": ["boolean", "array"], "items": {"type": "string"}}}}

# npm's package-lock.json of version 3, as its documentation states it.
LOCK = {
    "type": "object", "required": ["lockfileVersion", "packages"],
    "properties": {
        "name": {"type": "string"}, "version": {"type": "string"},
        "lockfileVersion": {"enum": [2, 3]}, "requires": {"type": "boolean"},
        "packages": {"type": "object", "additionalProperties": {
            "type": "object", "properties": {
                "version": {"type": "string", "pattern": "^[0-9]+\\."},
                "resolved": {"type": "string", "pattern": "^(https?|file):"},
                "integrity": {"type": "string", "pattern": "^sha(1|512)-"},
                "license": {"type": "string"}, "dev": {"type": "boolean"},
                "optional": {"type": "boolean"}, "peer": {"type": "boolean"},
                "hasInstallScript": {"type": "boolean"},
                "bin": NAMES, "engines": NAMES, "dependencies": NAMES,
                "peerDependencies": NAMES, "funding": True}}}}}
# The commonest options of TypeScript's tsconfig.json, as its reference has
# them; the others are let through.
FLAGS = ("allowJs", "checkJs", "composite", "declaration", "declarationMap",
         "esModuleInterop", "incremental", "isolatedModules", "noEmit",
         "noImplicitAny", "noUnusedLocals", "noUnusedParameters",
         "removeComments", "resolveJsonModule", "skipLibCheck", "sourceMap",
         "strict", "strictNullChecks")
STRINGS = {"type": "array", "items": {"type": "string"}}
TSCONFIG = {"type": "object", "properties": {
    "extends": {"anyOf": [{"type": "string"}, STRINGS]},
    "files": STRINGS, "include": STRINGS, "exclude": STRINGS,
    "compilerOptions": {"type": "object", "properties": {
        **{flag: {"type": "boolean"} for flag in FLAGS},
        "target": {"type": "string", "pattern": "^[eE][sS]"},
        "module": {"type": "string"}, "moduleResolution": {"type": "string"},
        "lib": STRINGS, "types": STRINGS, "typeRoots": STRINGS,
        "outDir": {"type": "string"}, "rootDir": {"type": "string"},
        "baseUrl": {"type": "string"},
        "paths": {"type": "object", "additionalProperties": STRINGS}}}}}
MIME = {
    "type": "object", "propertyNames": {"pattern": "^[a-z]+/[^/]+$"},
    "additionalProperties": {
        "type": "object", "additionalProperties": False, "properties": {
            "source": {"enum": ["iana", "apache", "nginx"]},
            "charset": {"type": "string"}, "compressible": {"type": "boolean"},
            "extensions": {**STRINGS, "minItems": 1}}}}
EMOJI = {"type": "object", "additionalProperties": {
    "type": "object", "required": ["name", "slug", "group"], "properties": {
        "name": {"type": "string"}, "group": {"type": "string"},
        "slug": {"type": "string", "pattern": "^[a-z0-9_]+$"},
        "emoji_version": {"type": "string", "maxLength": 4},
        "unicode_version": {"type": "string", "maxLength": 4},
        "skin_tone_support": {"type": "boolean"}}}}
# TopoJSON, as its format specification 1.0 states it.
PAIR = {"type": "array", "minItems": 2, "items": {"type": "number"}}
TOPOLOGY = {
    "type": "object", "required": ["type", "objects", "arcs"], "properties": {
        "type": {"const": "Topology"}, "bbox": {**PAIR, "minItems": 4},
        "transform": {"type": "object", "required": ["scale", "translate"],
                      "properties": {"scale": PAIR, "translate": PAIR}},
        "objects": {"type": "object",
                    "additionalProperties": {"$ref": "#/$defs/geometry"}},
        "arcs": {"type": "array", "items": {"type": "array", "minItems": 2,
                                            "items": PAIR}}},
    "$defs": {"geometry": {
        "type": "object", "required": ["type"], "properties": {
            "type": {"enum": [
                "Point", "MultiPoint", "LineString", "MultiLineString",
                "Polygon", "MultiPolygon", "GeometryCollection", None]},
            "id": {"type": ["string", "number"]},
            "properties": {"type": "object"}, "arcs": {"type": "array"},
            "geometries": {"type": "array",
                           "items": {"$ref": "#/$defs/geometry"}}}}}}
