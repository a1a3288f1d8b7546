"""Reads JWS and JWE of this project with joserfc and jwcrypto, and makes others for it.

usage: check_jose.py < request.json > answer.json

The request has a private JWK "key", a text "payload", and the lists "jws" and "jwe" in compact serialization. Both libraries
must find the payload in each. The answer has "jws" and "jwe" of both libraries, in all pairs of algorithms.

Exit code 1 with a sentence on standard error when one is wrong.
"""

import json
import sys

from joserfc import jwe as joserfc_jwe
from joserfc import jws as joserfc_jws
from joserfc.jwk import ECKey
from jwcrypto import jwe, jwk, jws

KEY_ALGORITHMS = ["ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"]
CONTENT_ALGORITHMS = ["A128GCM", "A256GCM", "A128CBC-HS256", "A256CBC-HS512"]


def signed_by(text, key, other):
    first = joserfc_jws.deserialize_compact(text, key, algorithms=["ES256"]).payload
    second = jws.JWS()
    second.allowed_algs = ["ES256"]
    second.deserialize(text)
    second.verify(other)
    return [first, second.payload]


def decrypted(text, key, other):
    algorithms = KEY_ALGORITHMS + CONTENT_ALGORITHMS
    registry = joserfc_jwe.JWERegistry(algorithms=algorithms)
    first = joserfc_jwe.decrypt_compact(text, key, registry=registry).plaintext
    second = jwe.JWE(algs=algorithms)
    second.deserialize(text, other)
    return [first, second.payload]


def made(payload, key, other):
    answer = {"jws": [], "jwe": []}
    answer["jws"].append(joserfc_jws.serialize_compact({"alg": "ES256"}, payload, key, algorithms=["ES256"]))
    signature = jws.JWS(payload)
    signature.add_signature(other, None, json.dumps({"alg": "ES256"}), None)
    answer["jws"].append(signature.serialize(compact=True))
    for key_algorithm in KEY_ALGORITHMS:
        for content_algorithm in CONTENT_ALGORITHMS:
            header = {"alg": key_algorithm, "enc": content_algorithm}
            registry = joserfc_jwe.JWERegistry(algorithms=[key_algorithm, content_algorithm])
            answer["jwe"].append(joserfc_jwe.encrypt_compact(dict(header), payload, key, registry=registry))
            message = jwe.JWE(payload, json.dumps(header), algs=[key_algorithm, content_algorithm])
            message.add_recipient(other)
            answer["jwe"].append(message.serialize(compact=True))
    return answer


def main():
    request = json.load(sys.stdin)
    payload = request["payload"].encode()
    key, other = ECKey.import_key(request["key"]), jwk.JWK(**request["key"])
    found = [text for jws_text in request["jws"] for text in signed_by(jws_text, key, other)]
    found += [text for jwe_text in request["jwe"] for text in decrypted(jwe_text, key, other)]
    if any(text != payload for text in found):
        print("a library reads another payload", file=sys.stderr)
        return 1
    json.dump(made(payload, key, other), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
