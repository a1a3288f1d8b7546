internal import EMVData
internal import ISO7816

extension DataObjectList {
  // Reads a list that the card sent.
  init(_ octets: [UInt8], of tag: Tag? = nil, _ phase: TransactionPhase) throws(StepFailure) {
    do throws(Fault) {
      try self.init(parsing: octets)
    } catch { throw StepFailure(phase, .malformed((tag.map { "tag \($0): " } ?? "") + "\(error)")) }
  }
}

extension SelectedApplication {
  // Checks the response to SELECT of a candidate (Book B v2.11, 3.3.3.5 and 3.3.3.6).
  init(_ candidate: Candidate, response: ResponseAPDU) throws(StepFailure) {
    let information = try Self.information(response, .selectApplication)
    // The name may be longer than the selected one: SELECT by the beginning of a name.
    guard information.dfName.starts(with: candidate.adfName.octets) else {
      throw StepFailure(.selectApplication, .nameDiffers)
    }
    let list = try DataObjectList(information.pdol ?? [], .selectApplication)
    self.init(information: information, processingOptions: list)
    try candidate.combination.combination.kernel.check(self)
  }

  // The directory of the card (3.3.2.3).
  static func directory(_ response: ResponseAPDU) throws(StepFailure) -> FileControlInformation {
    let information = try information(response, .selectDirectory)
    guard information.dfName == FileControlInformation.ppseName else {
      throw StepFailure(.selectDirectory, .nameDiffers)
    }
    return information
  }

  private static func information(
    _ response: ResponseAPDU, _ phase: TransactionPhase
  ) throws(StepFailure) -> FileControlInformation {
    guard response.status.isOK else { throw StepFailure(phase, .status(response.status)) }
    do throws(FileControlInformation.Fault) {
      return try FileControlInformation(parsing: response.data)
    } catch { throw StepFailure(phase, .malformed("\(error)")) }
  }
}
