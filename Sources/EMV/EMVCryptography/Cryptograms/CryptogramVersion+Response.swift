internal import Ciphers
public import Octets

/// The part of the issuer's response after the cryptogram: the rest of tag 91.
public enum IssuerResponse: Hashable, Sendable {
  /// Method 1: the authorisation response code, two bytes.
  case code(UInt16)
  /// Method 2: the card status update, four bytes, and 0...8 bytes of proprietary data.
  case cardStatusUpdate(UInt32, proprietaryData: [UInt8])
}

extension CryptogramVersion {
  /// Issuer authentication data, the value of tag 91: the response cryptogram and what it covers (EMV 4.3 Book 2, 8.2).
  ///
  /// - Parameters:
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  ///   - masterKey: The card's master key for application cryptograms, 16 bytes; any other length traps.
  ///   - atc: The application transaction counter, tag 9F36.
  ///   - unpredictableNumber: Tag 9F37; only some versions use it.
  /// - Returns: 10 bytes for a code, 8...16 for a card status update; nil when the version uses the other
  ///   method or not at all, or when there is more proprietary data than 8 bytes.
  public func issuerAuthenticationData(
    for cryptogram: UInt64, _ response: IssuerResponse, masterKey: borrowing Secret, atc: UInt16,
    unpredictableNumber: UInt32
  ) -> [UInt8]? {
    guard let rule = self.response else { return nil }
    let key =
      switch rule.key {
      case .masterKey: masterKey.duplicate()
      case .cryptogramKey:
        cryptogramKey(masterKey: masterKey, atc: atc, unpredictableNumber: unpredictableNumber)
      }
    switch (rule.method, response) {
    case (.responseCode, .code(let code)):
      return method1(cryptogram, code, key).bigEndianOctets + code.bigEndianOctets
    case (.cardStatusUpdate, .cardStatusUpdate(let update, let proprietary))
    where ResponseCryptogram.proprietaryCounts.contains(proprietary.count):
      return method2(cryptogram, update, proprietary, key).bigEndianOctets + update.bigEndianOctets + proprietary
    default: return nil
    }
  }

  private func method1(_ cryptogram: UInt64, _ code: UInt16, _ key: borrowing Secret) -> UInt64 {
    switch cipher {
    case .tripleDES: ResponseCryptogram.method1(cryptogram, responseCode: code, TripleDESKeys(key))
    case .aes128: ResponseCryptogram.method1(cryptogram, responseCode: code, AESKeys(key))
    }
  }

  private func method2(
    _ cryptogram: UInt64, _ update: UInt32, _ proprietary: [UInt8], _ key: borrowing Secret
  ) -> UInt32 {
    switch cipher {
    case .tripleDES:
      ResponseCryptogram.method2(
        cryptogram, cardStatusUpdate: update, proprietaryData: proprietary, TripleDESKeys(key))
    case .aes128:
      ResponseCryptogram.method2(cryptogram, cardStatusUpdate: update, proprietaryData: proprietary, AESKeys(key))
    }
  }
}
