internal import ISO7816
internal import Octets

/// The state of a fault plan while a card is presented. Pure: command and right response in, wrong response out.
struct CardFaultRun {
  struct Result {
    var answer: ResponseAPDU
    var held: HeldResponse?
    var faults: [InjectedFault] = []
  }

  private struct RuleState {
    let rule: CardFaultPlan.Rule
    var generator: SplitMix64
    var count = 0
  }

  private var rules: [RuleState]

  init(_ plan: CardFaultPlan) {
    rules = plan.rules.map { RuleState(rule: $0, generator: SplitMix64(seed: $0.seed)) }
  }

  /// Applies the rules that are due.
  ///
  /// - Parameter exchange: The number of the command since the card was powered or reset, from 1.
  mutating func apply(to right: ResponseAPDU, command: [UInt8], exchange: Int) -> Result {
    var result = Result(answer: right)
    for index in rules.indices {
      let rule = rules[index].rule
      // The rules that follow cannot change a response that is held back or lost.
      guard result.held == nil, Self.isDue(rule.occasion, result.answer, command, exchange) else { continue }
      guard rule.times.map({ rules[index].count < $0 }) ?? true else { continue }
      guard rule.percent == 100 || rules[index].generator.next() % 100 < UInt64(rule.percent) else { continue }
      guard Self.apply(rule, command, to: &result, &rules[index].generator) else { continue }
      rules[index].count += 1
      result.faults.append(
        InjectedFault(
          rule: index, fault: rule.fault, tag: rule.occasion.tag, exchange: exchange, instruction: command[1]))
      if rule.fault == .linkLost { break }
    }
    return result
  }

  private static func isDue(
    _ occasion: CardFaultPlan.Occasion, _ answer: ResponseAPDU, _ command: [UInt8], _ exchange: Int
  ) -> Bool {
    if let instruction = occasion.instruction, command[1] != instruction { return false }
    if let number = occasion.exchange, number != exchange { return false }
    guard let tag = occasion.tag else { return true }
    return FaultyResponse(data: answer.data, status: answer.status).holds(tag)
  }

  /// Changes a response by a rule; returns false when the rule cannot change this response.
  private static func apply(
    _ rule: CardFaultPlan.Rule, _ command: [UInt8], to result: inout Result, _ generator: inout SplitMix64
  ) -> Bool {
    let tag = rule.occasion.tag
    var answer = FaultyResponse(data: result.answer.data, status: result.answer.status)
    var isDone = true
    switch rule.fault {
    case .status(let status, let keepsData): answer = FaultyResponse(data: keepsData ? answer.data : [], status: status)
    case .malformed: isDone = answer.malform(tag, &generator)
    case .wrongLength(let change): isDone = answer.misstate(tag, by: change, &generator)
    case .truncated(let count): isDone = answer.truncate(count)
    case .duplicated: isDone = answer.repeatObject(tag, times: 2, &generator)
    case .missing: isDone = answer.repeatObject(tag, times: 0, &generator)
    case .value(let value): isDone = answer.setValue(of: tag, to: value)
    case .added(let objects): isDone = answer.add(objects, behind: tag)
    case .delay: break
    case .chained(let part):
      return hold(result.answer.data.isEmpty ? nil : .chained(result.answer, part: part), &result)
    case .lengthCorrected: return hold(.corrected(result.answer, to: command), &result)
    case .linkLost: answer = FaultyResponse(data: [], status: StatusWord(rawValue: 0x6F00))
    }
    result.answer = ResponseAPDU(data: answer.data, status: answer.status)
    return isDone
  }

  private static func hold(_ held: HeldResponse?, _ result: inout Result) -> Bool {
    guard let held else { return false }
    result.answer = held.announcement
    result.held = held
    return true
  }
}
