public import ISO7816
internal import Octets

extension DataElement {
  /// Returns a value in words: dates and text as such, other values in hexadecimal. Never fails.
  ///
  /// Cardholder data are masked unless `unmasked` is set.
  ///
  /// - Parameter kernel: The kernel whose definition of the tag applies; nil for the definition of the EMV books.
  public static func text(
    of tag: Tag, _ value: [UInt8], unmasked: Bool = false, kernel: ContactlessKernel? = nil
  ) -> String {
    let element = named(tag, kernel: kernel)
    if element?.isCardholderData == true, !unmasked { return masked(tag, value) }
    switch element?.format {
    case .alphabetic?, .alphanumeric?, .special?: return quoted(value)
    case .numeric? where tag == .applicationExpirationDate || tag == .transactionDate || tag == 0x5F25:
      return TransactionDate(numeric: value).map(\.description) ?? value.hex
    default: return value.hex
    }
  }

  private static func masked(_ tag: Tag, _ value: [UInt8]) -> String {
    switch tag {
    case .primaryAccountNumber: PrimaryAccountNumber(compressedNumeric: value)?.masked ?? "(\(value.count.bytes))"
    case .track2EquivalentData: Track2EquivalentData(value)?.accountNumber.masked ?? "(\(value.count.bytes))"
    default: "(\(value.count.bytes))"
    }
  }

  private static func quoted(_ value: [UInt8]) -> String {
    guard value.isPrintable else { return value.hex }
    return "\"" + String(decoding: value, as: UTF8.self) + "\""
  }
}
