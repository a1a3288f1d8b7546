import CardExploration
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import PaymentPrograms
import ProgramSupport
import PaymentSimulation
import TapScenarios
import Transcripts
import POSIX

/// The name of an error for programs, besides the codes of `LinkError`: the key `code` of every error in JSON.
/// `Fixtures/Schemas/output.schema.json` describes each.
enum ErrorCode: String, CaseIterable {
  /// The command line is wrong.
  case usage
  /// There is no such file or directory.
  case fileNotFound
  /// A file exists, and `--force` was not given.
  case fileExists
  /// This user may not read or write a file, or its disk is read-only.
  case fileRefused
  /// The disk is full.
  case noSpace
  /// A file cannot be read or written for another reason.
  case file
  /// A card profile or personalisation file has problems.
  case cardProfile
  /// A terminal profile has problems.
  case terminalProfile
  /// A scenario cannot be read or run.
  case scenario
  /// A recording cannot be read.
  case transcript
  /// The keys of an issuer cannot be read, or the issuer cannot be asked.
  case issuer
  /// Hexadecimal digits, a command or a data object is malformed.
  case malformed
  /// The wallet has no such card, or refuses what was asked.
  case wallet
  /// The device has lost the key of a wallet, whose cards were removed: now or before.
  case authenticationKeyInvalidated
  /// The device of a wallet cannot do what was asked.
  case device
  /// The terminal cannot take the payment that was asked for.
  case request
  /// The program of `--responder` cannot be started, or does not answer as a card.
  case responder
  /// Any other error.
  case failed

  /// The name of an error for programs.
  static func name(of error: any Error) -> String {
    switch error {
    case let error as LinkError: error.code.rawValue
    case is TranscriptDifference, ReplayError.different: LinkError.Code.recordingDiffers.rawValue
    default: ErrorCode(error).rawValue
    }
  }

  /// The code of an error that is not one of a link.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as FileError: ErrorCode(error.code)
      case let error as InputError: error.code
      case is CardProfileError, is PersonalisationError: .cardProfile
      case is TerminalProfileError: .terminalProfile
      case is ScenarioFileError, is ScenarioError: .scenario
      case is TranscriptError, is ReplayError: .transcript
      case is IssuerKeyError: .issuer
      case is OctetsError, is APDUError, is TLVError, is CommandTextError: .malformed
      case WalletError.authenticationKeyInvalidated: .authenticationKeyInvalidated
      case is WalletError, is WalletStoreError, is ReplenishmentError: .wallet
      case is StoredDeviceError, is DeviceAuthenticationError: .device
      case is ResponderError: .responder
      case is PaymentOrderError, is PaymentRequestError: .request
      default: .failed
      }
  }

  /// The code of a file that cannot be read or written.
  private init(_ code: FileError.Code) {
    self =
      switch code {
      case .notFound: .fileNotFound
      case .exists: .fileExists
      case .refused: .fileRefused
      case .noSpace: .noSpace
      case .other: .file
      }
  }
}

/// An input of the program that is wrong or missing, with the reason and its code.
struct InputError: ExitError, CustomStringConvertible {
  let description: String
  let code: ErrorCode
  let exit: Exit

  /// - Parameter exit: How the program ends; nil for what follows from the code.
  init(description: String, code: ErrorCode = .failed, exit: Exit? = nil) {
    (self.description, self.code, self.exit) = (description, code, exit ?? code.exit)
  }

  /// An error with words before its own, such as the name of a file.
  init(_ prefix: String, _ error: any Error) {
    self.init(description: "\(prefix)\(error)", code: ErrorCode(error), exit: Exit(error))
  }

  /// Runs what only the values of options decide: every error of it is wrong usage.
  static func ofOptions<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw InputError(description: "\(error)", code: ErrorCode(error), exit: .usage)
    }
  }
}
