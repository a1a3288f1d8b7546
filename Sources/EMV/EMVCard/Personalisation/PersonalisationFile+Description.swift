public import EMVData
internal import Octets

// The groupings of records hold account numbers and tracks.

extension PersonalisationFile: ContentConcealing {
  /// The number of groupings.
  public var description: String { "personalisation file, data groupings: \(groupings.count)" }
}

extension DataGrouping: ContentConcealing {
  /// The identifier and the number of bytes.
  public var description: String { "DGI \(identifier.hex), \(count.bytes)" }
}
