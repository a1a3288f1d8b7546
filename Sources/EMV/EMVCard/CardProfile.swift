internal import EMVData
internal import FoundationEssentials

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

  /// One application: an AID with its own records, key and transaction counter.
  public struct Application: Codable, Hashable, Sendable {
    /// The application identifier, 5 to 16 octets.
    public var aid: String
    /// Tag 50, 1 to 16 characters.
    public var label: String
    /// Tag 87, 1 (first) to 15.
    public var priority: Int
    /// The kernel that reads it; `visa` is kernel 3.
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
    /// Tag 9F6C before the holder is verified, 2 octets; verification adds byte 2 bit 8.
    public var ctq: String
    /// Further data objects of the answer to GET PROCESSING OPTIONS, such as tags 57 and 9F6E.
    public var processingOptions: [String]?
    /// The records; the AFL names them all, in this order.
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
    /// Kernel 3: qVSDC.
    case visa
  }

  /// How an application makes cryptograms.
  public struct Cryptogram: Codable, Hashable, Sendable {
    /// The cryptogram version number: 10 or 18.
    public var version: Int
    /// The derivation key index in tag 9F10, 1 octet.
    public var derivationKeyIndex: String
    /// The card verification results in tag 9F10, 4 octets.
    public var cvr: String
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

  /// Reads a profile.
  ///
  /// - Throws: `CardProfileError` with the place of what is missing or of the wrong type.
  public init(json: [UInt8]) throws(CardProfileError) {
    guard json.count <= Self.maximumCount else {
      throw CardProfileError([
        .init("", "the profile has \(json.count) octets: the limit is \(Self.maximumCount)")
      ])
    }
    do {
      self = try JSONDecoder().decode(CardProfile.self, from: Data(json))
    } catch let error as DecodingError {
      throw CardProfileError([CardProfileError.Problem(error, in: json)])
    } catch {
      throw CardProfileError([.init("", jsonFault(in: json))])
    }
  }
}
