public import Ciphers
public import EMVCryptography
public import EMVData
public import ISO7816

/// The parts of an application that every scheme shares, and the place to which a scheme adds its own.
public struct ApplicationBuilder {
  /// The values that the application asks for at GET PROCESSING OPTIONS, tag 9F38: 252 bytes at most.
  public let pdol: DataObjectList
  /// Tag 82, 2 bytes.
  public let interchangeProfile: [UInt8]
  /// The records, in the order of the AFL.
  public let records: [ApplicationRecord]
  /// The data objects that GET DATA returns, besides the counter.
  public internal(set) var dataObjects: [TLVNode] = []
  /// The programs added so far.
  public private(set) var commands: [CommandProgram] = []

  /// The key that the certificates in the records certify; nil for a card that makes no signatures.
  public internal(set) var signingKey: RSAPublicKey?

  /// The commands with which it takes its issuer's response; nil for an application that is complete with its first
  /// cryptogram.
  public var issuerExchange: IssuerExchange?
  /// The positions, among the values of the first cryptogram, of what a terminal repeats in RECOVER AC; nil without that command.
  public var recovery: [Range<Int>]?
  /// INTERNAL AUTHENTICATE; nil without that command.
  var internalAuthentication: InternalAuthenticationPlan?

  /// How the application makes cryptograms. A scheme must set it.
  public var cryptogramVersion: CryptogramVersion?
  /// Track 2 of mag-stripe mode; nil without that mode. Its codes need a key of their own.
  public var track2: MagStripeTrack?
  /// Track 1 of mag-stripe mode, for a card that gives both.
  public var track1: MagStripeTrack?
  /// Tags of records, besides 57, whose values are track 2 data with the account number.
  public var trackTags: [Tag] = []
  /// Whether tag 5F34 must be in a record, because the issuer derives the key of cryptograms with it.
  public var needsSequenceNumber = true

  /// Tag 94: names all records in their order.
  public var locator: ApplicationFileLocator { ApplicationRecord.locator(of: records) }

  /// The data objects of all records.
  public var objects: [TLVNode] { records.flatMap(\.objects) }

  /// The first value of a tag in the records, or nil.
  public func recordValue(of tag: Tag) -> [UInt8]? { objects.first { $0.tag == tag }?.value }

  /// Adds the program of a command. Traps when the application has a program with the same CLA and INS.
  public mutating func add(_ program: CommandProgram) {
    precondition(!commands.contains { $0.code == program.code }, "an application has one program for each command")
    program.check()
    commands.append(program)
  }

  /// Whether a response to GET PROCESSING OPTIONS has a signature that covers tag 9F37 alone: version 00 of kernel 7.
  var signsNumberAlone: Bool {
    commands.flatMap(\.answer.fills).contains { fill in
      if case .fastSignature(let signature, _) = fill { signature.payment == nil } else { false }
    }
  }

  /// The values of the program with a form, or nil.
  func values(_ form: CommandProgram.Form) -> DataObjectList? { commands.first { $0.form == form }?.values }
}
