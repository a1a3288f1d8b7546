extension NFCState {
  /// libnfc: its settings, and the process that runs it.
  var findings: [Finding] { [settingsFinding, programFinding] }

  private var settingsFinding: Finding {
    let subject = "libnfc settings"
    guard namedDevices.isEmpty else { return .ok(subject, "it is given \(namedDevices.joined(separator: ", "))") }
    guard findsDevices else {
      return .problem(
        subject, "it may not look for devices (allow_autoscan), and no device is named",
        remedy: "export LIBNFC_DEVICE=pn532_uart:/dev/ttyUSB0   # or allow_autoscan = true in /etc/nfc/libnfc.conf")
    }
    return .ok(subject, "it finds USB devices by itself; a serial one must be named in LIBNFC_DEVICE")
  }

  private var programFinding: Finding {
    let subject = "tap-nfc"
    switch devices {
    case .success(let names):
      let list = names.isEmpty ? "no device" : names.joined(separator: ", ")
      return .ok(subject, "\(program) starts, and libnfc finds \(list)")
    case .failure(let error) where isProgramExecutable:
      return .problem(subject, "\(program) starts, but: \(error)", remedy: Self.reinstallation)
    case .failure(let error):
      return .problem(subject, "\(error)", remedy: "swift build --product tap-nfc   # it lies beside tap")
    case nil:
      return .problem(subject, "libnfc has not listed its devices within 40 s", remedy: Self.reinstallation)
    }
  }

  private static let reinstallation = "sudo apt-get install -y libnfc6 libnfc-dev && swift build --product tap-nfc"
}
