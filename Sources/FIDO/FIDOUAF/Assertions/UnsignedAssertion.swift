/// An assertion before its signature, for a key whose signature takes an asynchronous call, such as a key of a device that
/// verifies its holder first.
public struct UnsignedAssertion: Sendable {
  let data: UAFElement
  let complete: @Sendable (_ data: UAFElement, _ signature: [UInt8]) -> UAFElement

  /// The bytes that the signature covers.
  public var signedOctets: [UInt8] { data.encoded }

  /// The bytes of the assertion.
  ///
  /// - Parameter signature: A signature over `signedOctets` in the algorithm of the assertion.
  public func octets(signature: [UInt8]) -> [UInt8] { complete(data, signature).encoded }
}
