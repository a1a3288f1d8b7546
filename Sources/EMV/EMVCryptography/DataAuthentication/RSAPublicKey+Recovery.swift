internal import Ciphers

extension RSAPublicKey {
  /// Recovers the data of a signature (EMV 4.4 Book 2, A2.1). One exponentiation; it allocates.
  ///
  /// - Throws: `AuthenticationFailure.length`, `.number`, and `.header` unless the data are between 6A and BC.
  /// - Returns: The data between header and trailer.
  func recover(
    _ signature: [UInt8], as part: AuthenticationFailure.Part
  ) throws(AuthenticationFailure) -> [UInt8] {
    guard signature.count == modulus.count else { throw .length(part) }
    guard let recovered = power(of: signature) else { throw .number(part) }
    guard recovered.first == 0x6A, recovered.last == 0xBC else { throw .header(part) }
    return Array(recovered.dropFirst().dropLast())
  }
}
