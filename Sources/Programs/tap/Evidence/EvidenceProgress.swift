import ProgramSupport
import USBSimulator

/// Shows the user what to do and how each step ended: lines on standard error, or events in JSON.
struct EvidenceProgress: Sendable {
  let format: OutputFormat

  /// A step begins.
  func begin(_ step: EvidenceStep) {
    let instruction = step.instruction.map { "\($0) Enter skips the step." }
    switch format {
    case .text: Console.note("\(Self.place(of: step)) \(instruction ?? "\(step.rawValue) ...")")
    case .json: event(["step": step.rawValue, "state": "begun", "instruction": step.instruction])
    }
  }

  /// A step has ended.
  func end(_ result: ReaderEvidence.StepResult) {
    let step = result.step
    switch format {
    case .text: Console.note("\(Self.place(of: step)) \(step.rawValue) \(result.verdict.rawValue): \(result.detail)")
    case .json:
      event([
        "step": step.rawValue, "state": result.verdict.rawValue, "detail": result.detail, "error": result.error,
      ])
    }
  }

  private static func place(of step: EvidenceStep) -> String { "[\(step.number)/\(EvidenceStep.allCases.count)]" }

  private func event(_ object: JSONObject) {
    // An object of texts always encodes.
    try? Console.print(json: object)
  }
}
