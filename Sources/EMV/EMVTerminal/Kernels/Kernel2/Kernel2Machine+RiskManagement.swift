internal import ISO7816

// Terminal risk management between the last record and the cryptogram (EMV 4.4 Book 3, 10.6).
extension Kernel2Machine {
  // Reads the counters where the profile asks for the velocity check and the card has both limits (10.6.3).
  mutating func manageRisk(_ card: CardData, _ terminal: inout KernelTerminal) throws(StepFailure) -> KernelStep {
    guard kernel.riskManagement?.checksVelocity == true, let reading = try CounterReading(card) else {
      return try generateCryptogram(card, velocity: [], &terminal)
    }
    state = .readingCounters(reading)
    return .transmit(reading.command, .getData)
  }

  mutating func receiveCounter(
    _ response: ResponseAPDU, _ reading: CounterReading, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    var reading = reading
    if let bits = reading.receive(response) { return try generateCryptogram(reading.card, velocity: bits, &terminal) }
    state = .readingCounters(reading)
    return .transmit(reading.command, .getData)
  }
}
