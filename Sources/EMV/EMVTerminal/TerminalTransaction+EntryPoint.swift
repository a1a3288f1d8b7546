internal import EMVData
internal import ISO7816

// Entry Point (EMV Contactless Book B v2.11, 3.3).
extension TerminalTransaction {
  mutating func receiveDirectory(_ response: ResponseAPDU, _ combinations: [PreparedCombination]) -> Step {
    do throws(StepFailure) {
      let directory = try SelectedApplication.directory(response)
      return selectNext(CandidateList(directory: directory, combinations: combinations))
    } catch { return fail(error) }
  }

  mutating func receiveApplication(_ response: ResponseAPDU, _ selection: Selection) -> Step {
    do throws(StepFailure) {
      let application = try SelectedApplication(selection.candidate, response: response)
      self.application = application
      return try initiate(application, selection.others)
    } catch {
      // 3.3.3.5 and 3.3.3.6: this candidate is out, the next one's turn comes.
      failures.append(error)
      return selectNext(selection.others)
    }
  }

  // 3.3.3.1 and 3.3.3.4; with no candidate left, 3.3.2.7.
  mutating func selectNext(_ candidates: CandidateList) -> Step {
    var candidates = candidates
    guard let candidate = candidates.next() else { return fail(StepFailure(.selectApplication, .noCandidate)) }
    return transmit(
      .select(name: candidate.selectedName), .selectApplication,
      then: .selectingApplication(Selection(candidate: candidate, others: candidates)))
  }

  private mutating func initiate(
    _ application: SelectedApplication, _ others: CandidateList
  ) throws(StepFailure) -> Step {
    let terminal = TerminalData(request, configuration, application, unpredictableNumber: unpredictableNumber)
    let command = try ProcessingOptions.command(application.processingOptions, terminal.value)
    return transmit(
      command, .processingOptions,
      then: .gettingProcessingOptions(Initiation(application: application, terminal: terminal, others: others)))
  }

  // The application ends, and the payment with it.
  mutating func fail(_ failure: StepFailure) -> Step {
    failures.append(failure)
    return end(.endApplication(failure))
  }
}
