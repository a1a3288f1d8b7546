public import EMVData
public import ISO7816

/// An application whose SELECT was answered as its kernel needs it (EMV Contactless Book B v2.11, 3.3.3).
public struct SelectedApplication: Hashable, Sendable {
  /// What was selected.
  public let candidate: Candidate
  /// Tag 84: the application's whole name.
  public let name: [UInt8]
  /// Tag 50, or nil.
  public let label: String?
  /// Tag 9F38: the data that the card wants with GET PROCESSING OPTIONS.
  public let processingOptions: DataObjectList

  /// Checks the answer to SELECT.
  ///
  /// - Throws: `StepFailure`; the next candidate's turn comes (3.3.3.5, 3.3.3.6).
  public init(_ candidate: Candidate, response: ResponseAPDU) throws(StepFailure) {
    let information = try Self.information(response, .selectApplication)
    // The name may be longer than the one selected: selection by the beginning of a name.
    guard information.dfName.starts(with: candidate.adfName.octets) else {
      throw StepFailure(.selectApplication, .nameDiffers)
    }
    let list: DataObjectList
    do throws(DataObjectList.Fault) {
      list = try DataObjectList(parsing: information.pdol ?? [])
    } catch { throw StepFailure(.selectApplication, .malformed("\(error)")) }
    let needsQualifiers = candidate.combination.combination.kernel == 3
    guard !needsQualifiers || list.range(of: .terminalTransactionQualifiers) != nil else {
      throw StepFailure(.selectApplication, .qualifiersNotWanted)
    }
    self.candidate = candidate
    name = information.dfName
    label = information.label
    processingOptions = list
  }

  /// The file control information in an answer to SELECT.
  static func information(
    _ response: ResponseAPDU, _ phase: TransactionPhase
  ) throws(StepFailure) -> FileControlInformation {
    guard response.status.isOK else { throw StepFailure(phase, .status(response.status)) }
    do throws(FileControlInformation.Fault) {
      return try FileControlInformation(parsing: response.data)
    } catch { throw StepFailure(phase, .malformed("\(error)")) }
  }

  /// The card's directory.
  ///
  /// - Throws: `StepFailure` when the card has none that can be read (3.3.2.3).
  static func directory(_ response: ResponseAPDU) throws(StepFailure) -> FileControlInformation {
    let information = try information(response, .selectDirectory)
    guard information.dfName == FileControlInformation.ppseName else {
      throw StepFailure(.selectDirectory, .nameDiffers)
    }
    return information
  }
}
