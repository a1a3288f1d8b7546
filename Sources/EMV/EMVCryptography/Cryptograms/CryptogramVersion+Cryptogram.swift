public import Ciphers
internal import EMVData
public import Octets

extension CryptogramVersion {
  /// Returns the part of tag 9F10 that the cryptogram covers, or nil when its layout is unknown or the part is missing.
  public func coveredIssuerData(of issuerApplicationData: [UInt8]) -> [UInt8]? {
    switch issuerData {
    case .whole: issuerApplicationData
    case .fifthOctet: issuerApplicationData.count >= 5 ? [issuerApplicationData[4]] : nil
    case .cardVerificationResults where paymentSystem == .visa:
      VisaIssuerApplicationData(issuerApplicationData)?.cardVerificationResults
    case .cardVerificationResults:
      MastercardIssuerApplicationData(issuerApplicationData)?.cardVerificationResults
    case .cardVerificationResultsAndCounters:
      MastercardIssuerApplicationData(issuerApplicationData).flatMap { data in
        data.counters.map { data.cardVerificationResults + $0 }
      }
    }
  }

  /// Returns the key of the cryptogram of one transaction, for a version whose key needs no data of the terminal.
  ///
  /// Traps when `needsUnpredictableNumber` is true.
  ///
  /// - Parameters:
  ///   - masterKey: The card's master key for application cryptograms, 16 bytes; any other length traps.
  ///   - atc: The application transaction counter, tag 9F36.
  public func cryptogramKey(masterKey: borrowing Secret, atc: UInt16) -> Secret {
    precondition(!needsUnpredictableNumber, "the session key of \(self) needs the terminal's unpredictable number")
    return cryptogramKey(masterKey: masterKey, atc: atc, unpredictableNumber: 0)
  }

  /// Returns the key of the cryptogram of one transaction.
  ///
  /// - Parameters:
  ///   - masterKey: The card's master key for application cryptograms, 16 bytes; any other length traps.
  ///   - atc: The application transaction counter, tag 9F36.
  ///   - unpredictableNumber: Tag 9F37; only some versions use it.
  public func cryptogramKey(masterKey: borrowing Secret, atc: UInt16, unpredictableNumber: UInt32) -> Secret {
    switch (sessionKey.diversifier(atc: atc, unpredictableNumber: unpredictableNumber), cipher) {
    case (nil, _): masterKey.duplicate()
    case (let diversifier?, .tripleDES): deriveCommonSessionKey(from: masterKey, diversifier: diversifier)
    case (let diversifier?, .aes128): deriveAESSessionKey(from: masterKey, diversifier: UInt128(diversifier) << 64)
    }
  }

  /// Returns the cryptogram over assembled data.
  ///
  /// - Parameter key: The key of the transaction, 16 bytes; any other length traps.
  public func cryptogram(over data: [UInt8], key: borrowing Secret) -> UInt64 {
    switch cipher {
    case .tripleDES: return cryptogram(over: data, TripleDESKeys(key))
    case .aes128:
      let keys = AESKeys(key)
      var mac = CMAC()
      mac.absorb(data.span, keys)
      return mac.finish(keys)
    }
  }

  /// Returns the cryptogram over assembled data for a version with triple DES; traps for other versions.
  public func cryptogram(over data: [UInt8], _ keys: borrowing TripleDESKeys) -> UInt64 {
    precondition(cipher == .tripleDES, "\(self) does not use triple DES")
    var mac = RetailMAC()
    mac.absorb(data.span, keys)
    return mac.finish(padding, keys)
  }
}
