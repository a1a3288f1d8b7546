public import Ciphers
public import EMVCryptography
public import EMVData
internal import ISO7816

/// The data that an application cryptogram covers, and its key.
public struct CryptogramPlan: Sendable {
  /// A part of the data.
  public enum Step: Sendable {
    /// Bytes of the values that the command brings.
    case values(Range<Int>)
    /// Bytes of the values that the command of the first cryptogram brought. Only for the second.
    case firstValues(Range<Int>)
    /// Bytes of the values that GET PROCESSING OPTIONS brought.
    case optionsValues(Range<Int>)
    /// Bytes of the profile, 255 at most.
    case constant([UInt8])
    /// The transaction counter, 2 bytes.
    case transactionCounter
  }

  /// The type of the cryptogram.
  public let type: CryptogramType
  /// The parts, in order.
  public let steps: [Step]
  /// How the last block is padded.
  public let padding: RetailMAC.Padding
  /// Where the key depends on the terminal's unpredictable number (tag 9F37): the offset of its 4 bytes among the
  /// command's values. Nil when the reserved key makes the cryptogram as it is.
  public let unpredictableNumber: Int?

  /// Creates a plan.
  public init(
    _ type: CryptogramType, _ steps: [Step], padding: RetailMAC.Padding, unpredictableNumber: Int? = nil
  ) {
    self.type = type
    self.steps = steps
    self.padding = padding
    self.unpredictableNumber = unpredictableNumber
  }

  /// Creates the plan of a cryptogram version.
  ///
  /// - Parameters:
  ///   - version: Names the data elements, the padding and the key.
  ///   - list: The values that the command brings. Elements that are not in it are left out.
  ///   - interchangeProfile: Tag 82, 2 bytes.
  ///   - first: For a second cryptogram, the values that the command of the first one brought: they count where the list does
  ///     not bring a value again.
  ///   - issuerData: Tag 9F10 as the card gives it, without the bytes of the wallet.
  public init(
    _ type: CryptogramType, _ version: CryptogramVersion, _ list: DataObjectList, after first: DataObjectList? = nil,
    interchangeProfile: [UInt8], issuerData: [UInt8]
  ) {
    let elements = version.elements.compactMap { tag -> Step? in
      switch tag {
      case .applicationInterchangeProfile: .constant(interchangeProfile)
      case .applicationTransactionCounter: .transactionCounter
      default: list.range(of: tag).map { .values($0) } ?? first?.range(of: tag).map { .firstValues($0) }
      }
    }
    // The key of the first cryptogram makes the second one too.
    let number =
      version.needsUnpredictableNumber && first == nil ? list.range(of: .unpredictableNumber)?.lowerBound ?? 0 : nil
    self.init(
      type, elements + [.constant(version.coveredIssuerData(of: issuerData) ?? [])], padding: version.padding,
      unpredictableNumber: number)
  }

  func isWithin(_ valueCount: Int) -> Bool {
    if let unpredictableNumber, unpredictableNumber + 4 > valueCount { return false }
    return steps.allSatisfy { step in
      switch step {
      case .values(let range): range.lowerBound >= 0 && range.upperBound <= valueCount
      case .optionsValues(let range), .firstValues(let range): range.lowerBound >= 0 && range.upperBound <= 255
      case .constant(let octets): octets.count <= 255
      case .transactionCounter: true
      }
    }
  }
}
