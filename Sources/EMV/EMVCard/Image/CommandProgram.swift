public import EMVCryptography
public import EMVData
public import ISO7816

/// The stage of an exchange with the selected application.
public enum CardStage: UInt8, Sendable {
  /// The application is selected.
  case selected
  /// GET PROCESSING OPTIONS was answered. Records can be read from here on.
  case initiated
  /// The command that asks for a cryptogram or a code was answered.
  case answered
}

/// One command of an application as data: what it must bring, what is answered, and what the card writes into the
/// answer.
///
/// A scheme makes the programs of an application when a profile is compiled; the card interprets them. The card checks
/// in this order: P1-P2 (6A86), the stage (6985), the form of the data (6A80), their length (6700) and the requirement.
/// Then an unarmed card gives the refusal. A response with more data than the command permits (Ne) is replaced by 6Cxx,
/// and nothing changes (ISO/IEC 7816-4:2013, 5.6). SELECT, READ RECORD and GET DATA are the same for all schemes and
/// have no program.
public struct CommandProgram: Sendable {
  /// The most bytes of values that a command brings: 255.
  static let maximumValueCount = 255

  /// The form of a command: its P1-P2 and how its data are read.
  public enum Form: UInt8, Sendable {
    /// GET PROCESSING OPTIONS (EMV 4.4 Book 3, 6.5.8): P1-P2 0000, the values in template 83.
    case processingOptions
    /// GENERATE AC (EMV 4.4 Book 3, 6.5.5): P1 00, 40 or 80, with 10 added where the card signs; P2 00.
    case generateCryptogram
    /// COMPUTE CRYPTOGRAPHIC CHECKSUM, known from public recordings: P1-P2 8E80.
    case computeChecksum
    /// EXCHANGE RELAY RESISTANCE DATA (EMV Contactless Book C-8): P1-P2 0000. The length is checked before the stage,
    /// and the card answers at most three times in an exchange.
    case exchangeRelayData
  }

  /// The response of a card that has no use to spend.
  public enum Refusal: Sendable {
    /// A status word. The exchange stays in its stage.
    case status(StatusWord)
    /// A response with data and status word 9000. The exchange goes on to the next stage.
    case response([UInt8])
  }

  /// Bits of the values that a command brings.
  public struct ValueBits: Sendable {
    /// The offset of a byte among the values.
    public let offset: Int
    /// The bits of that byte.
    public let mask: UInt8
  }

  /// A capability that a terminal must state before the card computes for it.
  public struct Requirement: Sendable {
    /// The bits, all of which must be set.
    public let bits: ValueBits
    /// The response of every card, armed or not, when a bit is not set. The exchange stays in its stage.
    public let status: StatusWord

    /// Creates a requirement.
    public init(_ bits: ValueBits, otherwise status: StatusWord) {
      self.bits = bits
      self.status = status
    }
  }

  /// A response with holes.
  public struct Answer: Sendable {
    /// The data of the response without the status word: 256 bytes at most, 512 with a signature. The card adds 9000.
    public let data: [UInt8]
    /// The values that the card writes, in this order.
    public let fills: [Fill]

    /// Creates a response. Without fills, the card copies the data as they are.
    public init(_ data: [UInt8], _ fills: [Fill] = []) {
      self.data = data
      self.fills = fills
    }
  }

  /// A value that the card can write into a response. Offsets count from the first byte of the response.
  public enum Fill: Sendable {
    /// The transaction counter of the reserved use, tag 9F36: 2 bytes.
    case transactionCounter(at: Int)
    /// An application cryptogram, tag 9F26: 8 bytes.
    case cryptogram(CryptogramPlan, at: Int)
    /// The CVC3 of a track: 2 bytes. `number` is the offset of tag 9F6A, 4 bytes, among the command's values.
    case dynamicCode(TrackPositions.Track, number: Int, at: Int)
    /// A random number of the card: 4 bytes. Only for the form `exchangeRelayData`.
    case entropy(at: Int)
    /// The number that the card draws for a signature: 4 bytes.
    case cardNumber(at: Int)
    /// Tag 9F4B of fDDA, as long as the signing key. The last fill of its response.
    case fastSignature(FastSignature, at: Int)
    /// Tag 9F4B of CDA, as long as the signing key, with the cryptogram in it. The last fill of its response.
    case combinedSignature(CombinedSignature, CryptogramPlan, at: Int)
    /// The bytes that the wallet adds, 0...14, behind the end of the response. The card adds their number to the length
    /// bytes at the offsets. Every such length is below 80 with them.
    case walletData(lengthsAt: [Int])
  }

  /// The most bytes of a response with a signature, which a terminal fetches in parts (61xx) when there are more than 256.
  static let maximumSignedCount = 512

  /// CLA and INS.
  public let code: UInt16
  /// How the command is read.
  public let form: Form
  /// The stage in which the command is accepted.
  public let stage: CardStage
  /// The stage after the response.
  public let next: CardStage
  /// The values that the command must bring, 255 bytes at most: the PDOL, CDOL1, the UDOL.
  public let values: DataObjectList
  /// What the values of the command must state. Only for the form `processingOptions`; nil for no requirement.
  public var requirement: Requirement?
  /// The response of a card without a use; nil when such a card answers like an armed one.
  public var refusal: Refusal?
  /// The response of a card whose use is for other terms (`CardRefusal.differentTerms`); nil gives `refusal`.
  public var conflict: Refusal?
  /// The response.
  public let answer: Answer
  /// The responses that name the method of the verification: one for each method, in place of `answer`, of the same
  /// length and without `alternativeBits`. Empty when `answer` is for every method.
  public var answersByMethod: [DeviceVerificationMethod: Answer] = [:]
  /// The response of an application that its issuer has blocked, and in the second case of the form: to GET PROCESSING
  /// OPTIONS, when the terminal sets `alternativeBits`; to GENERATE AC, when the terminal declines (P1 00); to COMPUTE CRYPTOGRAPHIC CHECKSUM, when the terminal supports
  /// mobile devices (tag 9F7E bit 1, here or in the PDOL). Nil gives `answer`.
  public var alternative: Answer?
  /// The bits of the values that select `alternative`. Only for the form `processingOptions`.
  public var alternativeBits: ValueBits?
  /// The response with which the card approves offline, when `approvalRule` does: to GET PROCESSING OPTIONS, and to GENERATE AC
  /// with P1 40. One for each method of verification where `answersByMethod` has them.
  public var approval: Answer?
  /// The same by the method of the verification.
  public var approvalsByMethod: [DeviceVerificationMethod: Answer] = [:]
  /// When the card approves offline; nil for never.
  public var approvalRule: OfflineApproval.Rule?
  /// The responses to GENERATE AC that asks for a signature (P1 bit 5): to go online, and to approve; nil for a card without a
  /// signing key. An AAC is never signed.
  public var signed: Answer?
  /// See `signed`.
  public var signedApproval: Answer?
  /// Whether the terminal has all data of the payment after this response. Otherwise a payment is complete when the last
  /// record of the AFL was read after the cryptogram.
  public var completes = false

  /// Creates a program without further responses. `ApplicationBuilder.add` checks it.
  public init(
    _ code: UInt16, _ form: Form, in stage: CardStage, next: CardStage, values: DataObjectList, answer: Answer
  ) {
    self.code = code
    self.form = form
    self.stage = stage
    self.next = next
    self.values = values
    self.answer = answer
  }
}
