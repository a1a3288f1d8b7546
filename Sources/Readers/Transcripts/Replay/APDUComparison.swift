internal import EMVDecoding
internal import ISO7816
internal import Octets

/// Compares an APDU with the recorded one, byte by byte, and finds the first difference.
struct APDUComparison {
  let kind: TranscriptDifference.Kind
  /// The number of the exchange, from 1.
  let exchange: Int
  let expected: [UInt8]
  let got: [UInt8]
  /// The recorded APDU, decoded into its parts.
  let recorded: DecodedNode
  /// The APDU of the replay, decoded into its parts.
  let present: DecodedNode
  /// The tags whose values may differ.
  let varies: [Tag]

  /// The first difference outside of secret and varying values, or nil.
  var difference: TranscriptDifference? {
    guard expected != got, let offset = firstDifference else { return nil }
    let path = recorded.path(to: offset)
    let node = path.last { !$0.label.isEmpty }
    let (left, right) = values(node, offset)
    return TranscriptDifference(
      kind: kind, exchange: exchange, offset: offset, tag: node?.tag,
      element: path.map(\.label).joined(separator: " › "), expected: left, got: right)
  }

  private var firstDifference: Int? {
    let ignored = recorded.all.filter { node in
      node.kind == .secret || node.tag.map(varies.contains) ?? false
    }.map(\.content)
    let common = min(expected.count, got.count)
    let differing = (0..<common).first { index in
      expected[index] != got[index] && !ignored.contains { $0.contains(index) }
    }
    return differing ?? (expected.count == got.count ? nil : common)
  }

  /// Returns both values in words: those of the whole data element when both APDUs have it in the same place, otherwise
  /// those of the byte that differs.
  private func values(_ node: DecodedNode?, _ offset: Int) -> (String, String) {
    if let node, node.kind == .field || node.kind == .object, node.children.isEmpty, node.content.contains(offset),
      node.content.count <= Self.longestShownElement,
      let other = present.all.first(where: { $0.label == node.label && $0.content == node.content }),
      other.text != node.text
    {
      return (node.text, other.text)
    }
    return (Self.octet(expected, offset), Self.octet(got, offset))
  }

  // One byte of a masked account number does not disclose the number.
  private static func octet(_ octets: [UInt8], _ offset: Int) -> String {
    octets.indices.contains(offset) ? octets[offset].hex : "nothing more"
  }

  /// The longest value that is shown whole, in bytes. A longer one, such as a certificate, is of no use to a reader.
  static let longestShownElement = 32
}
