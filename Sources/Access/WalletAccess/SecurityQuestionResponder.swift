public import AccessMessages
public import MobileAuthentication

/// Asks the user a security question.
public protocol SecurityQuestionResponder: Sendable {
  /// Returns the answer. Case and spaces at its ends do not count.
  func answer(to question: QuestionPrompt) async throws(InteractionCancelled) -> EnteredSecret
}
