/// A kernel with the settings of a terminal profile: immutable, shared by all payments of a terminal.
///
/// ```
/// prepare -> check -> activate -> start -> receive ... -> outcome
///                                      \-> cardLeft    -> outcome
///                      onlineRequest   ->  resume  ... -> outcome
/// ```
public protocol ConfiguredKernel: Sendable {
  /// Pre-processing (EMV Contactless Book B v2.11, 3.1.1), before the field is on.
  ///
  /// - Returns: The data elements of the terminal that this kernel adds or replaces for a payment.
  /// - Throws: `StepFailure` when the kernel does not take the payment without contact.
  func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData

  /// The data elements that this kernel adds or replaces for a payment without pre-processing, autorun: an indicator of
  /// pre-processing among them is zero, and no limit is checked.
  func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData

  /// Checks the response to SELECT beyond what Entry Point checks (Book B, 3.3.3.6).
  ///
  /// - Throws: `StepFailure`; Entry Point then selects the next application.
  func check(_ application: SelectedApplication) throws(StepFailure)

  /// Creates the machine for one selected application.
  func activate(_ application: SelectedApplication) -> any KernelMachine
}

extension ConfiguredKernel {
  /// Accepts every application.
  public func check(_ application: SelectedApplication) throws(StepFailure) {}
}
