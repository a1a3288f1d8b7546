public import EMVData
internal import ISO7816

/// An application of the card that was selected: its response to SELECT, checked by Entry Point (EMV Contactless Book B
/// v2.11, 3.3.3).
public struct SelectedApplication: Hashable, Sendable {
  /// The response to SELECT.
  public let information: FileControlInformation
  /// Tag 9F38: the data objects that the card wants with GET PROCESSING OPTIONS. Empty when the card wants none.
  public let processingOptions: DataObjectList

  /// Tag 84: the whole name of the application.
  public var name: [UInt8] { information.dfName }
  /// Tag 50, or nil.
  public var label: String? { information.label }
}

extension SelectedApplication {
  /// Tag 5F2D: up to four languages of two letters (ISO 639), the preferred one first (EMV 4.4 Book 3, annex A). Empty
  /// for an application without the tag, and for a value of another length.
  public var languages: [String] {
    let value = information.proprietary.first { $0.tag == .languagePreference }?.value ?? []
    guard (2...8).contains(value.count), value.count.isMultiple(of: 2) else { return [] }
    return stride(from: 0, to: value.count, by: 2).map {
      String(decoding: value[$0..<$0 + 2], as: UTF8.self).lowercased()
    }
  }
}
