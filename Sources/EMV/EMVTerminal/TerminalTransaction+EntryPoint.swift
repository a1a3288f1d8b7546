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
      return selectNext(selection.others, after: error)
    }
  }

  mutating func receiveProcessingOptions(_ response: ResponseAPDU, _ initiation: Initiation) -> Step {
    initiation.kernel2.map { receiveKernel2Options(response, initiation, $0) }
      ?? receiveKernel3Options(response, initiation)
  }

  // Start C: the outcome Select Next of a kernel, or a candidate that could not be selected.
  mutating func selectNext(_ candidates: CandidateList, after failure: StepFailure) -> Step {
    failures.append(failure)
    if !candidates.candidates.isEmpty { nextApplicationCount += 1 }
    return selectNext(candidates)
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
