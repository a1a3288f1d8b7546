package import CardExploration
package import EMVCard
package import EMVIssuer
package import EMVTerminal
package import ISO7816
package import ProgramSupport
package import TapLatency
package import PaymentSimulation
package import TapScenarios
package import Transcripts

// The thing that was judged is in no known form, has problems or differs.
extension APDUError: ExitError {}
extension TLVError: ExitError {}
extension CommandTextError: ExitError {}
extension CardProfileError: ExitError {}
extension PersonalisationError: ExitError {}
extension TerminalProfileError: ExitError {}
extension IssuerKeyError: ExitError {}
extension ScenarioError: ExitError {}
extension ScenarioNotApplicable: ExitError {}
extension ScenarioNotJudged: ExitError {}
extension TranscriptError: ExitError {}
extension TranscriptDifference: ExitError {}
extension ReplayError: ExitError {}
extension BenchmarkError: ExitError {}

extension ScenarioFileError: ExitError {
  /// A file that cannot be read differs from one with problems.
  package var exit: Exit { isUnreadable ? .error : .notRight }
}

extension ErrorCode {
  /// How an input with this code ends the program, unless the input says otherwise.
  var exit: Exit {
    switch self {
    case .usage, .request: .usage
    case .fileNotFound, .fileExists, .fileRefused, .noSpace, .file, .failed: .error
    case .cardProfile, .terminalProfile, .scenario, .transcript, .issuer, .malformed, .wallet,
      .authenticationKeyInvalidated, .device, .responder:
      .notRight
    }
  }
}

extension [ScenarioSeries] {
  /// How the taps end `tap test`.
  var exit: Exit {
    // Without a tap that was judged nothing is known of the card or the terminal.
    let isJudged = isEmpty || count("passed") + count("warning") > 0
    return Exit(of: flatMap { $0.runs.map(\.exit) } + (isJudged ? [] : [.notRight]))
  }
}

extension ScenarioRun {
  fileprivate var exit: Exit {
    switch verdict {
    case .passed, .warned, .notApplicable: .done
    case .failed, .notJudged: .notRight
    case .error: cause.map { Exit($0) } ?? .error
    }
  }
}
