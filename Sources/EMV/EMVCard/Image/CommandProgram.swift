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
/// in this order: P1-P2 (6A86), the stage (6985), the form of the data (6A80) and their length (6700). Then an unarmed
/// card gives the refusal. SELECT, READ RECORD and GET DATA are the same for all schemes and have no program.
public struct CommandProgram: Sendable {
  /// The form of a command: its P1-P2 and how its data are read.
  public enum Form: UInt8, Sendable {
    /// GET PROCESSING OPTIONS (EMV 4.4 Book 3, 6.5.8): P1-P2 0000, the values in template 83.
    case processingOptions
    /// GENERATE AC (EMV 4.4 Book 3, 6.5.5): P1 00, 40 or 80 without a signature, P2 00.
    case generateCryptogram
    /// COMPUTE CRYPTOGRAPHIC CHECKSUM, known from public recordings: P1-P2 8E80.
    case computeChecksum
    /// EXCHANGE RELAY RESISTANCE DATA (EMV Contactless Book C-8): P1-P2 0000. The length is checked before the stage,
    /// and the card answers at most three times in an exchange.
    case exchangeRelayData
  }

  /// The answer of a card that has no use to spend.
  public enum Refusal: Sendable {
    /// A status word. The exchange stays in its stage.
    case status(StatusWord)
    /// A response with data and status word 9000. The exchange goes on to the next stage.
    case response([UInt8])
  }

  /// A response with holes.
  public struct Answer: Sendable {
    /// The data of the response, 256 octets at most, without the status word. The card adds 9000.
    public let data: [UInt8]
    /// The values that the card writes, in this order.
    public let fills: [Fill]

    /// Creates an answer. Without fills, the card copies the data as they are.
    public init(_ data: [UInt8], _ fills: [Fill] = []) {
      self.data = data
      self.fills = fills
    }
  }

  /// A value that the card can write into an answer. Offsets count from the first octet of the answer.
  public enum Fill: Sendable {
    /// The transaction counter of the reserved use, tag 9F36: 2 octets.
    case transactionCounter(at: Int)
    /// An application cryptogram, tag 9F26: 8 octets.
    case cryptogram(CryptogramPlan, at: Int)
    /// The dynamic code of a track: 2 octets. `number` is the offset of tag 9F6A, 4 octets, among the command's values.
    case dynamicCode(TrackPositions.Track, number: Int, at: Int)
    /// A random number of the card: 4 octets. Only for the form `exchangeRelayData`.
    case entropy(at: Int)
    /// The octets that the wallet adds, 0...14, behind the end of the answer. The card adds their number to the length
    /// octets at the offsets. Every such length is below 80 with them.
    case walletData(lengthsAt: [Int])
  }

  /// CLA and INS.
  public let code: UInt16
  /// How the command is read.
  public let form: Form
  /// The stage in which the command is accepted.
  public let stage: CardStage
  /// The stage after the answer.
  public let next: CardStage
  /// The values that the command must bring, 255 octets at most: the PDOL, CDOL1, the UDOL.
  public let values: DataObjectList
  /// The answer of a card without a use; nil when such a card answers like an armed one.
  public let refusal: Refusal?
  /// The answer.
  public let answer: Answer
  /// The answer in the second case of the form: to GENERATE AC, when the terminal declines (P1 00); to COMPUTE
  /// CRYPTOGRAPHIC CHECKSUM, when the terminal supports mobile devices (tag 9F7E bit 1, here or in the PDOL). Nil gives
  /// `answer`.
  public let alternative: Answer?
  /// Whether the terminal has all data of the payment after this answer. Otherwise a payment is complete when the last
  /// record of the AFL was read after the cryptogram.
  public let completes: Bool

  /// Creates a program. Traps when it contradicts itself, since a program is made by a scheme of this engine and not
  /// by a profile.
  public init(
    _ code: UInt16, _ form: Form, in stage: CardStage, next: CardStage, values: DataObjectList, refusal: Refusal? = nil,
    answer: Answer, alternative: Answer? = nil, completes: Bool = false
  ) {
    self.code = code
    self.form = form
    self.stage = stage
    self.next = next
    self.values = values
    self.refusal = refusal
    self.answer = answer
    self.alternative = alternative
    self.completes = completes
    check()
  }

  /// Whether an answer spends a use.
  var computes: Bool { answers.contains { $0.computes } }
  /// Whether a fill writes what the wallet adds.
  var takesWalletData: Bool { answers.contains { $0.takesWalletData } }

  private var answers: [Answer] { [answer] + (alternative.map { [$0] } ?? []) }

  private func check() {
    precondition(values.valueCount <= 255, "the values of a command have 255 octets at most")
    precondition(next.rawValue >= stage.rawValue, "an exchange does not go back to an earlier stage")
    for answer in answers {
      precondition(answer.data.count <= 256, "a response has 256 octets of data at most")
      precondition(refusal != nil || !answer.needsUse, "a program that needs a use has a refusal")
      precondition(answer.computes == computes, "either all answers of a command spend a use or none")
      for fill in answer.fills {
        precondition(
          fill.isWithin(answer.data.count, values.valueCount), "a fill lies within the answer and the values")
        if case .entropy = fill { precondition(form == .exchangeRelayData, "only relay resistance data hold entropy") }
      }
    }
    if case .response(let data)? = refusal { precondition(data.count <= 256, "a response has 256 octets at most") }
  }
}

extension CommandProgram.Answer {
  var computes: Bool {
    fills.contains {
      switch $0 {
      case .cryptogram, .dynamicCode: true
      case .transactionCounter, .entropy, .walletData: false
      }
    }
  }

  var takesWalletData: Bool {
    fills.contains { if case .walletData = $0 { true } else { false } }
  }

  var needsUse: Bool {
    fills.contains { if case .entropy = $0 { false } else { true } }
  }
}

extension CommandProgram.Fill {
  func isWithin(_ answerCount: Int, _ valueCount: Int) -> Bool {
    func holds(_ count: Int, at offset: Int) -> Bool { offset >= 0 && offset + count <= answerCount }
    switch self {
    case .transactionCounter(let offset): return holds(2, at: offset)
    case .cryptogram(let plan, let offset): return holds(8, at: offset) && plan.isWithin(valueCount)
    case .dynamicCode(_, let number, let offset):
      return holds(2, at: offset) && number >= 0 && number + 4 <= valueCount
    case .entropy(let offset): return holds(4, at: offset)
    case .walletData(let offsets):
      return offsets.count <= 2 && offsets.allSatisfy { $0 > 0 && holds(1, at: $0) }
    }
  }
}
