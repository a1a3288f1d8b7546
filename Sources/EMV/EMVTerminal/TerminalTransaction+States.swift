internal import EMVData
internal import ISO7816

extension TerminalTransaction {
  enum State {
    // We have an amount and have sent nothing.
    case ready
    // We have asked for the directory.
    case selectingDirectory([PreparedCombination])
    // We have selected the best candidate that was left.
    case selectingApplication(Selection)
    // We have sent the terminal's data.
    case gettingProcessingOptions(Initiation)
    // We have asked for a record.
    case readingRecords(Reading)
    // The card is done; the host must decide.
    case awaitingHost(KernelDecision)
    // The payment has its outcome.
    case ended
  }

  struct Selection {
    let candidate: Candidate
    let others: CandidateList
  }

  struct Initiation {
    let application: SelectedApplication
    let terminal: TerminalData
    let others: CandidateList
  }

  struct Reading {
    let application: SelectedApplication
    let terminal: TerminalData
    // The file of the record that was asked for.
    let sfi: UInt8
    let card: CardData
    let others: ArraySlice<(sfi: UInt8, record: UInt8)>
  }
}

extension TerminalTransaction.State {
  // Which answer is awaited, or nil.
  var phase: TransactionPhase? {
    switch self {
    case .selectingDirectory: .selectDirectory
    case .selectingApplication: .selectApplication
    case .gettingProcessingOptions: .processingOptions
    case .readingRecords: .readRecords
    case .ready, .awaitingHost, .ended: nil
    }
  }

  var name: String {
    switch self {
    case .ready: "ready"
    case .awaitingHost: "awaiting the host"
    case .ended: "ended"
    default: "awaiting \(phase?.rawValue ?? "")"
    }
  }
}
