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
    // We have asked how far the card is away.
    case exchangingRelayData(RelayExchange)
    // We have asked for the cryptogram.
    case generatingCryptogram(Generation)
    // We have asked for the checksum of mag-stripe mode.
    case computingChecksum(Computation)
    // The card is done; the host must decide.
    case awaitingHost(KernelDecision)
    // The same payment is tried again when the card comes back.
    case awaitingRestart
    // The payment has its outcome.
    case ended
  }

  struct Selection {
    let candidate: Candidate
    let others: CandidateList
  }

  struct Initiation {
    let application: SelectedApplication
    var terminal: TerminalData
    let others: CandidateList
    // What the kernel is set to; nil for kernel 3.
    var kernel2: Kernel2Configuration? { application.candidate.combination.combination.kernel2 }
  }

  struct Reading {
    let initiation: Initiation
    // Kernel 2's mode; nil for kernel 3.
    let mode: Kernel2.Mode?
    // The file of the record that was asked for.
    let sfi: UInt8
    let card: CardData
    let others: ArraySlice<(sfi: UInt8, record: UInt8)>
  }

  struct RelayExchange {
    let initiation: Initiation
    let card: CardData
    let records: [(sfi: UInt8, record: UInt8)]
    let furtherTries: Int
  }

  struct Generation {
    let initiation: Initiation
    let card: CardData
    let choice: VerificationMethodList.Choice
    let asked: CryptogramType
  }

  struct Computation {
    let initiation: Initiation
    let card: CardData
    let tracks: MagStripeTracks
    // Tag 9F6A, one digit a nibble.
    let unpredictableNumber: UInt32
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
    case .exchangingRelayData: .relayResistance
    case .generatingCryptogram: .generateCryptogram
    case .computingChecksum: .computeChecksum
    case .ready, .awaitingHost, .awaitingRestart, .ended: nil
    }
  }

  var name: String {
    switch self {
    case .ready: "ready"
    case .awaitingHost: "awaiting the host"
    case .awaitingRestart: "awaiting the card again"
    case .ended: "ended"
    default: "awaiting \(phase?.rawValue ?? "")"
    }
  }
}
