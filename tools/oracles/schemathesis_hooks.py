"""Teaches schemathesis the media types of the server: JSON under another name, and JOSE, which is text."""
import json

import schemathesis

schemathesis.serializer.alias("application/fido+uaf", "application/json")
schemathesis.serializer.alias("application/jose", "text/plain")


@schemathesis.deserializer("application/fido+uaf", "application/fido.trusted-apps+json")
def json_of_another_name(_context, response):
    return json.loads(response.text)


@schemathesis.deserializer("application/jose")
def text(_context, response):
    return response.text
