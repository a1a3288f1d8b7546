"""BER-TLV data objects and data object lists (EMV 4.4 Book 3, Annex B and section 5.4).

A node is a list `[tag, value]`. The tag is upper-case hexadecimal text. The value is bytes, or a list of nodes where the
tag is constructed.
"""


def length_bytes(count):
    """Returns the shortest length field of `count` bytes (Book 3, B2)."""
    if count < 0x80:
        return bytes([count])
    body = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(body)]) + body


def is_constructed(tag):
    """Returns whether bit 6 of the first tag byte is set (Book 3, B1)."""
    return bool(int(tag[:2], 16) & 0x20)


def encode(node):
    """Returns the bytes of one node. A third element of the node replaces the length field."""
    tag, value = node[0], node[1]
    body = value if isinstance(value, bytes) else encode_all(value)
    field = node[2](len(body)) if len(node) > 2 else length_bytes(len(body))
    return bytes.fromhex(tag) + field + body


def encode_all(nodes):
    """Returns the bytes of all nodes in order."""
    return b"".join(encode(node) for node in nodes)


def read_tag(data, at):
    """Returns the tag at an offset and the offset behind it (Book 3, B1)."""
    end = at + 1
    if data[at] & 0x1F == 0x1F:
        while data[end] & 0x80:
            end += 1
        end += 1
    return data[at:end].hex().upper(), end


def read_length(data, at):
    """Returns the length at an offset and the offset behind it. Raises ValueError for the indefinite form."""
    first = data[at]
    if first < 0x80:
        return first, at + 1
    count = first & 0x7F
    if not 1 <= count <= 2:
        raise ValueError("length field %02X is not allowed" % first)
    return int.from_bytes(data[at + 1:at + 1 + count], "big"), at + 1 + count


def decode(data):
    """Returns the nodes of `data`. Raises ValueError or IndexError where it is malformed."""
    nodes, at = [], 0
    while at < len(data):
        if data[at] in (0x00, 0xFF):
            at += 1
            continue
        tag, at = read_tag(data, at)
        count, at = read_length(data, at)
        if at + count > len(data):
            raise ValueError("tag %s is longer than its template" % tag)
        value = data[at:at + count]
        nodes.append([tag, decode(value) if is_constructed(tag) else value])
        at += count
    return nodes


def find(nodes, tag):
    """Returns the value of the first node with this tag, at any depth, or None."""
    for node in nodes:
        if node[0] == tag:
            return node[1]
        if isinstance(node[1], list):
            value = find(node[1], tag)
            if value is not None:
                return value
    return None


def find_all(nodes, tag):
    """Returns the values of every node with this tag, at any depth."""
    values = []
    for node in nodes:
        if node[0] == tag:
            values.append(node[1])
        if isinstance(node[1], list):
            values += find_all(node[1], tag)
    return values


def parse_dol(dol):
    """Returns (tag, length) pairs of a data object list (Book 3, 5.4)."""
    pairs, at = [], 0
    while at < len(dol):
        tag, at = read_tag(dol, at)
        count, at = read_length(dol, at)
        pairs.append((tag, count))
    return pairs


def dol_size(dol):
    """Returns the number of bytes that a data object list asks for."""
    return sum(count for _, count in parse_dol(dol))


def dol_values(dol, data):
    """Returns a dictionary from tag to the bytes that a terminal sent for it."""
    values, at = {}, 0
    for tag, count in parse_dol(dol):
        values[tag] = data[at:at + count]
        at += count
    return values
