extension CryptogramVersion {
  /// Who counts the versions.
  public enum PaymentSystem: Sendable, CaseIterable {
    /// Visa.
    case visa
    /// Mastercard.
    case mastercard
    /// Interac, of Canada.
    case interac
    /// EMV's own: common core definitions (EMV 4.3 Book 2, part IV).
    case commonCore
  }

  /// The algorithm of a version.
  public enum Cipher: Sendable {
    /// Double-length triple DES and the retail MAC.
    case tripleDES
    /// AES with keys of 128 bits and CMAC.
    case aes128
  }

  /// Which key makes the cryptogram.
  public enum SessionKeyRule: Sendable {
    /// The card's master key itself.
    case masterKey
    /// EMV common session key derivation (CSK): R is the counter and zeros.
    case common
    /// Mastercard's session key derivation (SKD): R is the counter, two zero octets and the unpredictable number.
    case commonWithUnpredictableNumber

    /// R for a triple-DES key, as `TripleDESKeys.replaceKey` takes it; nil when the master key is used.
    public func diversifier(atc: UInt16, unpredictableNumber: UInt32) -> UInt64? {
      switch self {
      case .masterKey: nil
      case .common: UInt64(atc) << 48
      case .commonWithUnpredictableNumber: UInt64(atc) << 48 | UInt64(unpredictableNumber)
      }
    }
  }

  /// What of the issuer application data the cryptogram covers.
  public enum IssuerDataPart: Sendable {
    /// All octets of tag 9F10.
    case whole
    /// The card verification results in it.
    case cardVerificationResults
    /// The card verification results and the eight octets of counters.
    case cardVerificationResultsAndCounters
    /// Its fifth octet alone.
    case fifthOctet
  }

  /// How the issuer answers a cryptogram: tag 91.
  public struct ResponseRule: Hashable, Sendable {
    /// What the response cryptogram (ARPC) covers (EMV 4.3 Book 2, 8.2).
    public enum Method: Sendable {
      /// Method 1: eight octets over the cryptogram and a response code.
      case responseCode
      /// Method 2: four octets over the cryptogram, a card status update and up to eight octets of the issuer's.
      case cardStatusUpdate
    }

    /// Which key makes it.
    public enum Key: Sendable {
      /// The card's master key.
      case masterKey
      /// The key that made the cryptogram.
      case cryptogramKey
    }

    /// What it covers.
    public let method: Method
    /// Which key makes it.
    public let key: Key
  }

  /// Which key protects issuer scripts.
  public enum ScriptKeyRule: Sendable {
    /// Visa's derivation from the counter.
    case visa
    /// EMV common session key derivation: R is the application cryptogram.
    case common
  }

  /// How an issuer script command is put together (EMV 4.3 Book 2, chapter 9, format 2).
  public struct ScriptRule: Hashable, Sendable {
    /// How a new PIN is written before it is enciphered.
    public enum PINFormat: Sendable {
      /// Visa's own: masked with four octets of the card's master key for cryptograms, and with the current PIN.
      case visa
      /// Visa's own when the current PIN is known, ISO 9564-1 format 2 when it is not.
      case visaForCurrentPIN
      /// ISO 9564-1 format 2.
      case iso9564Format2
    }

    /// Whether counter and application cryptogram stand between header and data under the MAC.
    public let coversTransaction: Bool
    /// How the data are enciphered.
    public let encipherment: ScriptEncipherment
    /// How a new PIN is written.
    public let pinFormat: PINFormat
  }
}
