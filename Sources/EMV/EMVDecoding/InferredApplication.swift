internal import EMVData
package import ISO7816

/// The application that data objects alone show.
package enum InferredApplication {
  /// Tags of the mag-stripe mode of kernel 2 that no other application has with these lengths: the bit maps of track 1
  /// (9F62, 9F63) beside one of track 2 with two bytes (9F66), which is four bytes of the terminal elsewhere.
  private static let trackTags: [(tag: Tag, count: Int)] = [(0x9F62, 6), (0x9F63, 6), (0x9F66, 2)]
  private static let mastercard = AID([0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10])

  /// The application that the response to a SELECT names, or whose tags a record has; nil for other data.
  package static func of(_ node: DecodedNode, in octets: [UInt8]) -> AID? {
    let leaves = node.all.filter { $0.children.isEmpty && $0.kind == .object }
    if node.all.contains(where: { $0.tag == .fciTemplate }),
      let name = leaves.first(where: { $0.tag == .dfName })
    {
      return AID(Array(octets[name.content]))
    }
    let isOfTracks = trackTags.allSatisfy { own in
      leaves.contains { $0.tag == own.tag && $0.content.count == own.count }
    }
    return isOfTracks ? mastercard : nil
  }
}
