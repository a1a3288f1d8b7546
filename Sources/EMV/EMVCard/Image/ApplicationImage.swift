internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// One application of a card image.
struct ApplicationImage: Sendable {
  /// The AID.
  let aid: ArenaSlice
  /// The response to SELECT, status word included.
  let selectResponse: ArenaSlice
  /// The positions of the application's commands in `CardImage.commands`.
  let commands: Range<Int>
  /// The position of the application's first key in an arming, in the order of `CardImage.Application.keyRoles`.
  let firstKey: Int
  /// Track 2 of mag-stripe mode before digits are filled in; empty without that mode.
  let track2: ArenaSlice
  /// Track 1 likewise.
  let track1: ArenaSlice
  /// The records by P1-P2 of READ RECORD, in the order of the AFL.
  let records: [KeyedResponse]
  /// The data objects for GET DATA by P1-P2, which is their tag.
  let dataObjects: [KeyedResponse]
  /// The commands that follow an ARQC; nil for an application that is complete with it.
  let issuer: IssuerImage?
  /// See `ApplicationBuilder.recovery`.
  let recovery: [Range<Int>]
  let canRecover: Bool
  /// INTERNAL AUTHENTICATE; nil for an application without it.
  let internalAuthentication: InternalAuthenticationPlan?
}

/// A `CommandProgram` with its bytes in the arena.
struct CommandImage: Sendable {
  let code: UInt16
  let form: CommandProgram.Form
  /// P1-P2; GENERATE AC has others too.
  let parameters: UInt16
  let stage: CardStage
  let next: CardStage
  /// The number of bytes that the command must bring.
  let valueCount: Int
  /// Whether a response spends a use.
  let computes: Bool
  let completes: Bool
  /// The offset of tag 9F7E among the values, or nil.
  let mobileSupport: Int?
  /// The positions of the payment terms.
  let terms: PaymentTermsLayout
  /// What the values must state, or nil.
  let requirement: CommandProgram.Requirement?
  /// The response of a card without a use, status word included; nil when such a card gives `answer`.
  let refusal: ArenaSlice?
  /// The response of a card with a use for other terms, status word included; nil likewise.
  let conflict: ArenaSlice?
  /// Replaced when the card is armed, where it names the method of the verification.
  var answer: ResponseImage
  let alternative: ResponseImage
  let alternativeBits: CommandProgram.ValueBits?
  /// The position of its further responses in `CardImage.further`; negative for none.
  let further: Int
}

/// The responses of a command that only a card with a signing key gives.
struct FurtherResponses: Sendable {
  /// The response that approves offline, for GET PROCESSING OPTIONS and for GENERATE AC without a signature.
  var approval: ResponseImage
  /// To GENERATE AC that asks for a signature.
  let signed: ResponseImage
  /// To GENERATE AC that asks for a signature, when the card approves offline.
  let signedApproval: ResponseImage
  /// When the card approves offline; nil for never.
  let rule: OfflineApproval.Rule?
}

/// The response of a command after one method of verification.
struct MethodResponse: Sendable {
  /// The position of the command in `CardImage.commands`.
  let command: Int
  let method: DeviceVerificationMethod
  let answer: ResponseImage
  /// The response that approves offline, or nil.
  let approval: ResponseImage?
}

/// A `CommandProgram.Answer` with its bytes in the arena.
struct ResponseImage: Sendable {
  /// The data, without a status word.
  let data: ArenaSlice
  /// The position of the first fill in `CardImage.fills`.
  let firstFill: Int
  /// The number of fills.
  let fillCount: Int
  /// The offset of the terminal's unpredictable number among the values, where a key depends on it.
  let keyNumber: Int?
  /// Whether the bytes of the wallet follow the data.
  let takesWalletData: Bool
}

/// A `CommandProgram.Fill` with its bytes in the arena.
enum FillImage: Sendable {
  case transactionCounter(at: Int)
  case cryptogram(CryptogramType, PlanImage, at: Int)
  case dynamicCode(isTrack1: Bool, number: Int, at: Int)
  case entropy(at: Int)
  case cardNumber(at: Int)
  case fastSignature(FastSignature, at: Int)
  case combinedSignature(CombinedSignature, PlanImage, at: Int)
  /// The offsets of the length bytes; 0 for none.
  case walletData(outer: Int, inner: Int)
}

/// A `CryptogramMessage` in the arena.
struct PlanImage: Sendable {
  /// The template.
  let message: ArenaSlice
  /// The steps.
  let steps: ArenaSlice
}

/// The response to a command with these P1-P2, status word included.
struct KeyedResponse: Sendable {
  let parameters: UInt16
  let response: ArenaSlice
}
