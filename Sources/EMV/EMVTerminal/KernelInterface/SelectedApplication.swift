public import EMVData

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
