internal import EMVData

extension KernelTerminal {
  /// Performs the checks of terminal risk management that need no command (EMV 4.4 Book 3, 10.6), and returns their bits
  /// for tag 95. The exception list counts without settings too.
  mutating func riskResults(
    _ number: PrimaryAccountNumber, _ riskManagement: RiskManagement?, _ limits: ReaderLimits
  ) -> TerminalVerificationResults {
    let entry = logged(number)
    let isExcepted = entry?.isExcepted ?? false
    guard let riskManagement else { return isExcepted ? .onExceptionList : [] }
    statusInformation.insert(.riskManagement)
    let payment = RiskManagement.CheckedPayment(
      amount: request.amount.minorUnits, lastAmount: entry?.lastAmount, isExcepted: isExcepted)
    let percentage = riskManagement.randomSelection == nil ? nil : drawPercentage()
    return riskManagement.check(payment, limits[request], number: percentage)
  }
}
