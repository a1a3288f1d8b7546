/// A refusal in a story: a message that its receiver has refused, or a step that was refused without such a message.
struct Refusal: Sendable {
  /// The index of the step.
  let step: Int
  /// The index of the message in the step; nil for the step itself.
  let row: Int?
  /// The step and the message in words.
  let text: String
  /// How often the message was refused.
  let count: Int

  /// The refusals of some steps, in their order.
  static func all(in steps: [StoryStep]) -> [Refusal] {
    steps.enumerated().flatMap { index, step -> [Refusal] in
      let name = step.result.map { "\($0.name): " } ?? ""
      let messages = step.messages.enumerated().filter { $0.element.message.isRefused }.map { row, repeated in
        Refusal(step: index, row: row, text: name + repeated.text, count: repeated.count)
      }
      guard messages.isEmpty, step.isRefused, let result = step.result else { return messages }
      return [Refusal(step: index, row: nil, text: name + result.text, count: 1)]
    }
  }
}
