/// One digital card as its author writes it: JSON, readable, with one or more applications.
///
/// Data objects stand as text, tag and value in hexadecimal: `"5F24 301231"`. Nothing secret is in a profile; keys are
/// the issuer's to provision. `CardImage.init(compiling:)` checks everything else.
public struct CardProfile: Codable, Hashable, Sendable {
  /// The format this engine reads: `contactless-card/1`.
  public static let format = "contactless-card/1"
  /// A profile of more octets is refused unread: 256 KiB.
  public static let maximumCount = 262_144

  /// The format of the file; must be `CardProfile.format`.
  public var format: String
  /// A name for people.
  public var name: String
  /// The applications, in the order of their records; the directory is ordered by priority.
  public var applications: [Application]
  /// What the card does wrong on purpose, when a `FaultInjector` is asked for it; nothing otherwise.
  public var faults: [Fault]?

  /// One application: an AID with its own records, key and transaction counter.
  public struct Application: Codable, Hashable, Sendable {
    /// The application identifier, 5 to 16 octets.
    public var aid: String
    /// Tag 50, 1 to 16 characters.
    public var label: String
    /// Tag 87, 1 (first) to 15.
    public var priority: Int
    /// The kernel that reads it.
    public var kernel: Kernel
    /// Tag 9F38: tags with their lengths.
    public var pdol: String
    /// Further data objects of template A5, such as tag 5F2D.
    public var fci: [String]?
    /// Data objects of template BF0C, such as tag 9F5A.
    public var issuerDiscretionary: [String]?
    /// Tag 82, 2 octets.
    public var aip: String
    /// How cryptograms are made.
    public var cryptogram: Cryptogram
    /// Tag 9F6C before the holder is verified, 2 octets; verification adds byte 2 bit 8. For kernel 3 and only for it.
    public var ctq: String?
    /// Further data objects of the answer to GET PROCESSING OPTIONS, such as tags 57 and 9F6E.
    public var processingOptions: [String]?
    /// The format of the answer to GET PROCESSING OPTIONS: 1 (template 80; kernel 2 only) or 2 (77); 2 when left out.
    public var optionsFormat: Int?
    /// The format of the answer to GENERATE AC: 1 (template 80) or 2 (77); 2 when left out. Not for kernel 3.
    public var cryptogramFormat: Int?
    /// The times of the relay resistance protocol; tag 82 byte 2 bit 1 must say that there is one. Kernel 2 only.
    public var relayResistance: RelayResistance?
    /// The records; the AFL names them all, in this order. Tag 8C is read from them, and tag 9F6B among them is what
    /// makes a mag-stripe mode.
    public var records: [Record]
    /// Data objects for GET DATA, besides the counter 9F36.
    public var getData: [String]?
    /// The first transaction counter, 1...65535; 1 when left out.
    public var firstATC: Int?
    /// How many payments the key is good for when the test issuer provisions it; 10 when left out.
    public var uses: Int?
  }

  /// Which contactless kernel an application is made for.
  public enum Kernel: String, Codable, Sendable, CaseIterable {
    /// Kernel 2: EMV mode, mag-stripe mode or both.
    case mastercard
    /// Kernel 3: qVSDC.
    case visa
    /// Kernel 4: the EMV mode of a mobile device.
    case americanExpress
  }

  /// How an application makes cryptograms.
  public struct Cryptogram: Codable, Hashable, Sendable {
    /// Whose version numbers are meant, where they are not those of the kernel's payment system.
    public enum System: String, Codable, Sendable, CaseIterable {
      /// EMV's own: common core definitions (EMV 4.3 Book 2, part IV).
      case commonCore
    }

    /// Whose version numbers are meant; the payment system's of the kernel when left out. American Express's own are in
    /// no public document, so that kernel 4 needs `commonCore`.
    public var system: System?
    /// The cryptogram version number: 10, 18 or 22 of Visa; 16, 17, 20 or 21 of Mastercard; 5 of `commonCore`.
    public var version: Int
    /// The derivation key index in tag 9F10, 1 octet.
    public var derivationKeyIndex: String
    /// The card verification results in tag 9F10 as of an ARQC and before the holder is verified: 4 octets for Visa 10
    /// and 18, 5 for Visa 22 and common core, 6 for Mastercard.
    public var cvr: String
    /// What follows them in tag 9F10; zeros when left out. Mastercard: 10 octets, data authentication code and
    /// counters; Visa 22: 24; common core: 23, counters and issuer discretionary data; others none.
    public var further: String?
  }

  /// What the card says of its times, in units of 100 microseconds, 0...65535 each.
  public struct RelayResistance: Codable, Hashable, Sendable {
    /// The least time that the card takes to process the command.
    public var minimum: Int
    /// The most.
    public var maximum: Int
    /// How long the transmission of its answer takes.
    public var transmission: Int
  }

  /// One record of a file.
  public struct Record: Codable, Hashable, Sendable {
    /// The short file identifier, 1...30.
    public var sfi: Int
    /// The record number, 1...255.
    public var record: Int
    /// The data objects in template 70.
    public var data: [String]
  }
}
