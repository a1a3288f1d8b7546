internal import Ciphers

/// What a card signs together with an application cryptogram: the ICC dynamic data of CDA (EMV 4.4 Book 2, table 19; Book C-2
/// for the relay resistance data).
public struct CombinedData: Hashable, Sendable {
  /// The cryptogram, tag 9F26, eight bytes.
  public let cryptogram: [UInt8]

  /// The number of bytes of relay resistance data: terminal entropy, device entropy, and three times.
  private static let relayCount = 14

  /// Reads the dynamic data of a signature and compares them with the response that it came in.
  ///
  /// - Parameters:
  ///   - signed: The signature of the card, already checked.
  ///   - cryptogramInformation: Tag 9F27 of the response.
  ///   - transactionData: What the terminal sent and received; see `transactionData`.
  ///   - relayData: Terminal entropy, device entropy, and the times of the last exchange of relay resistance data, 14 bytes; nil
  ///     for a payment without such an exchange.
  /// - Throws: `.dynamicData`, `.cryptogramInformation`, `.transactionData` or `.relayData`.
  public init(
    _ signed: SignedDynamicData, cryptogramInformation: UInt8, transactionData: [UInt8], relayData: [UInt8]? = nil
  ) throws(AuthenticationFailure) {
    var rest = signed.content.dropFirst(1 + signed.dynamicNumber.count)
    guard rest.count >= 1 + 8 + SHA1.count, let information = rest.popFirst() else { throw .dynamicData }
    guard information == cryptogramInformation else { throw .cryptogramInformation }
    cryptogram = Array(rest.prefix(8))
    rest = rest.dropFirst(8)
    guard Array(rest.prefix(SHA1.count)) == SHA1.digest(of: transactionData) else { throw .transactionData }
    guard let relayData else { return }
    guard Array(rest.dropFirst(SHA1.count).prefix(Self.relayCount)) == relayData else { throw .relayData }
  }

  /// Joins what the transaction data hash covers.
  ///
  /// - Parameters:
  ///   - options: The values of the PDOL as they were sent, without tag 83 and its length.
  ///   - riskManagement: The data of GENERATE AC: the values of CDOL1, and for the second one those of CDOL2 behind them.
  ///   - response: The data objects of the response in their order, each with tag and length, without tag 9F4B.
  public static func transactionData(options: [UInt8], riskManagement: [UInt8], response: [UInt8]) -> [UInt8] {
    options + riskManagement + response
  }
}
