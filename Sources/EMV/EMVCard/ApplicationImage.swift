internal import EMVCryptography
internal import ISO7816
internal import Octets

/// One application of a card image: offsets and numbers only, so that the byte path copies it without a reference count.
struct ApplicationImage: Sendable {
  /// The AID.
  let aid: ArenaSlice
  /// The answer to SELECT, status word included.
  let selectResponse: ArenaSlice
  /// Which commands beside those of every application it answers.
  let commands: CommandSet
  /// Where the application's keys begin in an arming's ring, in the order of `CardImage.Application.keyRoles`.
  let firstKey: Int
  /// GET PROCESSING OPTIONS.
  let options: OptionsImage
  /// GENERATE AC, for a kernel that asks for the cryptogram.
  let generation: GenerationImage?
  /// COMPUTE CRYPTOGRAPHIC CHECKSUM, when there is a mag-stripe mode.
  let checksum: ChecksumImage?
  /// The answer to EXCHANGE RELAY RESISTANCE DATA with a hole for the entropy; empty when it is switched off.
  let relayResponse: ArenaSlice
  /// The records: entries of `IndexEntry.count` octets.
  let records: ArenaSlice
  /// The data objects for GET DATA: entries of `IndexEntry.count` octets.
  let dataObjects: ArenaSlice
}

/// Commands that only some applications answer.
struct CommandSet: OptionSet, Sendable {
  let rawValue: UInt8

  static let generateAC = Self(rawValue: 1)
  static let computeChecksum = Self(rawValue: 2)
  static let exchangeRelayData = Self(rawValue: 4)
}

/// How GET PROCESSING OPTIONS is answered.
struct OptionsImage: Sendable {
  /// How many octets of PDOL values the command must bring.
  let valueCount: Int
  /// The answer, status word included, with holes for what each payment brings.
  let response: ArenaSlice
  /// What an unarmed card answers; nil when it gives its options to everybody.
  let refusal: StatusWord?
  /// The holes of an answer that carries the cryptogram (kernel 3).
  let cryptogram: OptionsCryptogramImage?
  /// Where the terminal's mobile support indicator lies among the values, tag 9F7E, if it was asked for.
  let mobileSupport: Int?
  /// Where the terms of the payment lie.
  let terms: PaymentTermsLayout
}

/// The cryptogram in the answer to GET PROCESSING OPTIONS.
struct OptionsCryptogramImage: Sendable {
  /// Where the transaction counter goes.
  let atcOffset: Int
  /// Where the cryptogram goes.
  let cryptogramOffset: Int
  /// Where the card transaction qualifiers go.
  let qualifiersOffset: Int
  /// What the cryptogram covers.
  let plan: CryptogramPlan
}

/// How a cryptogram is made.
struct CryptogramPlan: Sendable {
  /// What it covers: steps of `CryptogramStep.count` octets.
  let steps: ArenaSlice
  /// How the last block is filled up.
  let padding: RetailMAC.Padding
}

/// How GENERATE AC is answered.
struct GenerationImage: Sendable {
  /// How many octets of CDOL1 values the command must bring.
  let valueCount: Int
  /// Where the terms of the payment lie.
  let terms: PaymentTermsLayout
  /// Which key makes the cryptogram, where it waits for the terminal's unpredictable number.
  let sessionKey: CryptogramVersion.SessionKeyRule?
  /// Where tag 9F37 lies among the values.
  let unpredictableNumber: Int
  /// The answer when the terminal wants to go online or to approve.
  let request: CryptogramAnswer
  /// The answer when the terminal declines.
  let decline: CryptogramAnswer
  /// Where the transaction counter goes in both.
  let atcOffset: Int
  /// Where the cryptogram goes in both.
  let cryptogramOffset: Int
  /// Where the length of tag 9F10 stands in both; nil when wallet data are not taken or the format has no such length.
  let issuerDataLengthOffset: Int?
  /// Whether tag 9F10 takes the wallet's data.
  let takesWalletData: Bool
  /// What an unarmed card answers, status word included: no cryptogram of any key.
  let refusal: ArenaSlice
}

/// One answer to GENERATE AC.
struct CryptogramAnswer: Sendable {
  /// The answer without its status word; tag 9F10 ends it, so that wallet data can follow.
  let response: ArenaSlice
  /// What its cryptogram covers.
  let plan: CryptogramPlan
}

/// How COMPUTE CRYPTOGRAPHIC CHECKSUM is answered.
struct ChecksumImage: Sendable {
  /// How many octets of UDOL values the command must bring.
  let valueCount: Int
  /// Where the terms of the payment lie.
  let terms: PaymentTermsLayout
  /// Where tag 9F6A lies among the values.
  let unpredictableNumber: Int
  /// Where the terminal's mobile support indicator lies among the values, tag 9F7E, if it was asked for.
  let mobileSupport: Int?
  /// Track 2 as the card has it, before digits are filled in.
  let track2: ArenaSlice
  /// Track 1 likewise; empty when there is none.
  let track1: ArenaSlice
  /// The answer, status word included, with holes.
  let response: ArenaSlice
  /// The answer to a terminal that knows of mobile devices: with tag DF4B behind.
  let mobileResponse: ArenaSlice
  /// Where the code for track 2 goes in both.
  let track2Offset: Int
  /// Where the code for track 1 goes in both.
  let track1Offset: Int?
  /// Where the transaction counter goes in both.
  let atcOffset: Int
  /// What an unarmed card answers, status word included: no code.
  let refusal: ArenaSlice
}

/// One step of a cryptogram plan: kind, offset (2 octets), count.
enum CryptogramStep {
  /// The octets of one step.
  static let count = 4
  /// From the values that the terminal sent for the PDOL.
  static let optionsValues: UInt8 = 0
  /// From the arena.
  static let constant: UInt8 = 1
  /// The transaction counter.
  static let transactionCounter: UInt8 = 2
  /// From the values that the terminal sent for CDOL1.
  static let listValues: UInt8 = 3
}

/// One entry of a table in the arena: key (2 octets), offset (2), count (2).
enum IndexEntry {
  /// The octets of one entry.
  static let count = 6
}
