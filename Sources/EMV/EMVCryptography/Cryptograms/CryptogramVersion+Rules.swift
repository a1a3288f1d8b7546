extension CryptogramVersion {
  /// The payment system that numbers the version.
  public enum PaymentSystem: Sendable, CaseIterable {
    /// Visa.
    case visa
    /// Mastercard.
    case mastercard
    /// Interac (Canada).
    case interac
    /// EMV: common core definitions (EMV 4.3 Book 2, part IV).
    case commonCore
  }

  /// The algorithm of a version.
  public enum Cipher: Sendable {
    /// Double-length triple DES and the retail MAC.
    case tripleDES
    /// AES with keys of 128 bits and CMAC.
    case aes128
  }

  /// The key of the cryptogram.
  public enum SessionKeyRule: Sendable {
    /// The card's master key itself.
    case masterKey
    /// EMV common session key derivation (CSK): R is the counter and zeros.
    case common
    /// Mastercard's session key derivation (SKD): R is the counter, two zero bytes and the unpredictable number.
    case commonWithUnpredictableNumber

    /// Returns R for `TripleDESKeys.replaceKey`, or nil when the master key is used.
    public func diversifier(atc: UInt16, unpredictableNumber: UInt32) -> UInt64? {
      switch self {
      case .masterKey: nil
      case .common: UInt64(atc) << 48
      case .commonWithUnpredictableNumber: UInt64(atc) << 48 | UInt64(unpredictableNumber)
      }
    }
  }

  /// The part of the issuer application data that the cryptogram covers.
  public enum IssuerDataPart: Sendable {
    /// All bytes of tag 9F10.
    case whole
    /// The card verification results in it.
    case cardVerificationResults
    /// The card verification results and the eight bytes of counters.
    case cardVerificationResultsAndCounters
    /// Its fifth byte.
    case fifthOctet
  }

  /// The issuer's response to a cryptogram: tag 91.
  public struct ResponseRule: Hashable, Sendable {
    /// The data that the response cryptogram (ARPC) covers (EMV 4.3 Book 2, 8.2).
    public enum Method: Sendable {
      /// Method 1: eight bytes over the cryptogram and a response code.
      case responseCode
      /// Method 2: four bytes over the cryptogram, a card status update and up to eight bytes of proprietary data.
      case cardStatusUpdate
    }

    /// The key of the cryptogram.
    public enum Key: Sendable {
      /// The card's master key.
      case masterKey
      /// The key of the cryptogram.
      case cryptogramKey
    }

    /// The data that it covers.
    public let method: Method
    /// The key of the cryptogram.
    public let key: Key
  }

  /// The key of issuer scripts.
  public enum ScriptKeyRule: Sendable {
    /// Visa's derivation from the counter.
    case visa
    /// EMV common session key derivation: R is the application cryptogram.
    case common
  }

  /// The rules of an issuer script command (EMV 4.3 Book 2, chapter 9, format 2).
  public struct ScriptRule: Hashable, Sendable {
    /// Whether the MAC covers counter and application cryptogram between header and data.
    public let coversTransaction: Bool
  }
}
