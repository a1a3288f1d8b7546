public import JSON

/// One digital card as its author writes it: JSON, readable, with one or more applications.
///
/// Data objects are texts, tag and value in hexadecimal: `"5F24 301231"`. A profile holds no secrets; the issuer
/// provisions the keys. `CardImage` checks everything that this type does not.
public struct CardProfile: Hashable, Sendable {
  /// The format that this engine reads: `contactless-card/1`.
  public static let format = "contactless-card/1"
  /// The largest profile that is read, in bytes: 256 KiB.
  public static let maximumCount = 262_144

  /// The format of the file; must be `CardProfile.format`.
  public var format: String
  /// A name for people, 1...64 characters.
  public var name: String
  /// The applications, 1...4, in the order of their records; the directory is ordered by priority.
  public var applications: [Application]
  /// The rules of a fault plan, which the card ignores and does not check; nil for none. `CardFaults` reads them.
  ///
  /// ```json
  /// { "when": { "command": "READ RECORD" }, "what": { "kind": "status", "status": "6A82" }, "times": 1 }
  /// ```
  public var faults: [JSONValue]?

  /// One application: an AID with its own records, key and transaction counter.
  public struct Application: Hashable, Sendable {
    /// The application identifier, 5 to 16 bytes.
    public var aid: String
    /// Tag 50, 1 to 16 characters.
    public var label: String
    /// Tag 87, 1 (first) to 15.
    public var priority: Int
    /// The name of the scheme, which is the name of the kernel that reads the application: `mastercard` (kernel 2: EMV
    /// mode, mag-stripe mode or both), `visa` (kernel 3: qVSDC), `americanExpress` (kernel 4: EMV mode or
    /// mag-stripe mode of a mobile device), `jcb` (kernel 5: EMV mode), or another `CardScheme.name`.
    public var kernel: String
    /// Tag 9F38: tags with their lengths.
    public var pdol: String
    /// Further data objects of template A5, such as tag 5F2D.
    public var fci: [String]?
    /// Data objects of template BF0C, such as tag 9F5A.
    public var issuerDiscretionary: [String]?
    /// Tag 82, 2 bytes.
    public var aip: String
    /// How cryptograms are made.
    public var cryptogram: Cryptogram
    /// The key of the certification authority with which the certificates in the records are checked; nil for a card that
    /// makes no signatures.
    public var certificationAuthority: CertificationAuthority?
    /// Further data objects of the response to GET PROCESSING OPTIONS, such as tags 57 and 9F6E.
    public var processingOptions: [String]?
    /// The records; the AFL names them all, in this order. Tag 8C is read from them; tag 9F6B among them makes a
    /// mag-stripe mode.
    public var records: [Record]
    /// Data objects for GET DATA, besides the counter 9F36: 16 at most.
    public var getData: [String]?
    /// The first transaction counter, 1...65535; 1 when left out.
    public var firstATC: Int?
    /// The number of payments of a key that the test issuer provisions, 0...65535; 10 when left out.
    public var uses: Int?
    /// The keys that only the scheme reads, such as `ctq`. See `CardScheme.keys`.
    public var schemeKeys: [String: JSONValue] = [:]
  }

  /// How an application makes cryptograms.
  public struct Cryptogram: Hashable, Sendable {
    /// An organisation that counts versions.
    public enum System: String, Sendable, CaseIterable {
      /// EMV's own: common core definitions (EMV 4.3 Book 2, part IV).
      case commonCore
    }

    /// The organisation whose version number is meant; the payment system of the kernel when left out. No public
    /// document has those of American Express, JCB, Discover and UnionPay, so that kernels 4 to 7 need `commonCore`.
    public var system: System?
    /// The cryptogram version number: 10, 18 or 22 of Visa; 16, 17, 20 or 21 of Mastercard; 5 of `commonCore`.
    public var version: Int
    /// The derivation key index in tag 9F10, 1 byte.
    public var derivationKeyIndex: String
    /// The card verification results in tag 9F10 of an ARQC before the cardholder is verified: 4 bytes for Visa 10 and
    /// 18, 5 for Visa 22 and common core, 6 for Mastercard.
    public var cvr: String
    /// The bytes behind the results in tag 9F10; zeros when left out. Mastercard: 10 bytes, data authentication code
    /// and counters; Visa 22: 24; common core: 23, counters and issuer discretionary data; others: 0.
    public var further: String?

    /// Creates the values. `CardImage` checks them.
    public init(
      system: System? = nil, version: Int, derivationKeyIndex: String, cvr: String, further: String? = nil
    ) {
      self.system = system
      self.version = version
      self.derivationKeyIndex = derivationKeyIndex
      self.cvr = cvr
      self.further = further
    }
  }

  /// The public key of a certification authority. Its RID is the beginning of the AID, its index tag 8F of the records.
  public struct CertificationAuthority: Hashable, Sendable {
    /// The modulus, 64 to 248 bytes.
    public var modulus: String
    /// The exponent, 03 or 010001.
    public var exponent: String

    /// Creates a key. `CardImage` checks it.
    public init(modulus: String, exponent: String) { (self.modulus, self.exponent) = (modulus, exponent) }
  }

  /// One record of a file.
  public struct Record: Hashable, Sendable {
    /// The short file identifier, 1...30.
    public var sfi: Int
    /// The record number, 1...255.
    public var record: Int
    /// The data objects in template 70.
    public var data: [String]
    /// Whether the certificate of the card covers the record (EMV 4.4 Book 3, 10.3); false when left out.
    public var isSigned: Bool?

    /// Creates a record.
    public init(sfi: Int, record: Int, data: [String], isSigned: Bool? = nil) {
      (self.sfi, self.record, self.data, self.isSigned) = (sfi, record, data, isSigned)
    }
  }
}
