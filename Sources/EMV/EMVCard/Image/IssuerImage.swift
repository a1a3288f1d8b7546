internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// An `IssuerExchange` with its bytes in the arena.
struct IssuerImage: Sendable {
  /// 6985.
  let refusal: ArenaSlice
  let takesExternalAuthenticate: Bool
  let startsAgain: Bool
  /// What tag 91 holds, and its key.
  let response: CryptogramVersion.ResponseRule?
  let scripts: Scripts?
  let second: Second?

  /// The issuer scripts of an application.
  struct Scripts: Sendable {
    /// Whether the MAC covers counter and cryptogram.
    let coversTransaction: Bool
    /// Whether the card derives the key with its cryptogram. Otherwise the wallet brings it.
    let derivesKey: Bool
    let writableTags: [Tag]
    /// How many script commands with a wrong MAC end the exchange with the issuer.
    let wrongMACLimit: Int
  }

  /// See `SecondProgram`.
  struct Second: Sendable {
    let valueCount: Int
    let authentication: Range<Int>?
    let answers: [ResponseImage]
    let signed: [ResponseImage]
  }
}

/// The values of INTERNAL AUTHENTICATE (EMV 4.4 Book 2, 6.5).
struct InternalAuthenticationPlan: Sendable {
  let valueCount: Int
  /// The response in front of the signature: template 77 and tag 9F4B, each with its length.
  let header: [UInt8]

  /// - Parameter count: The number of bytes of a signature.
  init(_ list: DataObjectList, signatureCount count: Int) {
    valueCount = list.valueCount
    let node = TLVNode(.responseFormat2, [TLVNode(0x9F4B, [UInt8](repeating: 0, count: count))])
    header = Array(node.encoded.prefix(node.encoded.count - count))
  }
}
