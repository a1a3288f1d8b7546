/// Commands that concern only the chip (UM0701-02, 7.2 and 7.3.1).
extension PN532 {
  mutating func configure(_ data: [UInt8]) -> [PN532Effect] {
    switch command {
    case .diagnose: return diagnose(data)
    case .getFirmwareVersion:
      // libnfc restores the descriptors of a PN533 with bytes behind this command.
      return data.isEmpty || model == .pn533 ? reply(model.firmware) : [.syntaxError]
    case .getGeneralStatus: return generalStatus()
    case .readRegister: return readRegisters(data)
    case .writeRegister: return writeRegisters(data)
    case .readGPIO: return reply([0x00, 0x00, 0x00])
    case .writeGPIO: return data.count == 2 ? reply() : [.syntaxError]
    case .setSerialBaudRate: return data.count == 1 && data[0] <= 8 ? reply() : [.syntaxError]
    case .setParameters:
      guard data.count == 1 else { return [.syntaxError] }
      parameters = data[0]
      return reply()
    case .samConfiguration:
      // The mode (normal, virtual card, wired card, dual card), then the timeout and the use of the interrupt line.
      guard (1...3).contains(data.count), (1...4).contains(data[0]) else { return [.syntaxError] }
      return reply()
    case .powerDown: return powerDown(data)
    default: return configureField(data)
    }
  }

  private mutating func diagnose(_ data: [UInt8]) -> [PN532Effect] {
    switch (data.first, data.count) {
    case (0x00, _): return reply(data)
    // Memory and antenna are in order.
    case (0x01, 1), (0x02, 1), (0x07, 2): return reply([0x00])
    // FeliCa polling: all 128 attempts fail, since no FeliCa card is simulated.
    case (0x04, 2): return reply([0x80])
    case (0x06, 1): return checkPresence()
    default: return [.syntaxError]
    }
  }

  private mutating func generalStatus() -> [PN532Effect] {
    var data = [lastStatus.rawValue, seesField ? 0x01 : 0x00, card == nil ? 0x00 : 0x01]
    // Target number, 106 kbit/s in both directions, modulation: type A or B has the code 00 (UM0701-02, 7.2.3).
    if card != nil { data += [0x01, 0x00, 0x00, 0x00] }
    return reply(data + [0x80])
  }

  private mutating func readRegisters(_ data: [UInt8]) -> [PN532Effect] {
    guard !data.isEmpty, data.count.isMultiple(of: 2) else { return [.syntaxError] }
    let addresses = stride(from: 0, to: data.count, by: 2).map { UInt16(data[$0]) << 8 | UInt16(data[$0 + 1]) }
    return reply(registerStatus + addresses.map { registers[$0] })
  }

  private mutating func writeRegisters(_ data: [UInt8]) -> [PN532Effect] {
    guard !data.isEmpty, data.count.isMultiple(of: 3) else { return [.syntaxError] }
    for offset in stride(from: 0, to: data.count, by: 3) {
      registers[UInt16(data[offset]) << 8 | UInt16(data[offset + 1])] = data[offset + 2]
    }
    return reply(registerStatus)
  }

  private var registerStatus: [UInt8] { model.reportsRegisterStatus ? [PN532Status.success.rawValue] : [] }

  private mutating func powerDown(_ data: [UInt8]) -> [PN532Effect] {
    guard (1...2).contains(data.count) else { return [.syntaxError] }
    let effects = stopServing() + carrier(false)
    card = nil
    return effects + reply(.success) + [.sleep]
  }

  private mutating func configureField(_ data: [UInt8]) -> [PN532Effect] {
    switch (data.first, data.count) {
    case (0x01, 2):
      let effects = data[1] & 0x01 == 1 ? stopServing() + carrier(true) : carrier(false)
      return effects + reply()
    case (0x02, 4): retryTimeout = data[3]
    case (0x05, 4): searchRetries = data[3]
    // Retries of data exchange, and analogue settings: they change nothing here.
    case (0x04, 2), (0x0A, 12), (0x0B, 9), (0x0C, 4), (0x0D, 10): break
    default: return [.syntaxError]
    }
    return reply()
  }

  /// The timeout of commands that leave ISO-DEP to the host, at most 3.28 s (UM0701-02, 7.3.1).
  var communicationTimeout: Duration {
    guard retryTimeout > 0 else { return .seconds(86_400) }
    return .microseconds(100 << (min(Int(retryTimeout), 16) - 1))
  }
}
