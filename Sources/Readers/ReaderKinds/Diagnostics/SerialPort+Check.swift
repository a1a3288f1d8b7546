extension SerialPort {
  /// Whether a program of this user can open the port.
  var finding: Finding {
    switch file {
    case .absent, .hidden: missing
    case .present(let file): file.isReadable && file.isWritable ? lock : refusal(file)
    }
  }

  private var subject: String { "serial port \(path)" }

  private var missing: Finding {
    .problem(
      subject, "it is named to libnfc, and it does not exist",
      remedy: "ls -l /dev/ttyUSB* /dev/ttyACM*   # plug the device in; then name its port in LIBNFC_DEVICE")
  }

  private var lock: Finding {
    guard let holder = holders.first else { return .ok(subject, "this user may use it, and no program holds it") }
    return .problem(
      subject, "\(holder.name) holds it (process \(holder.process))",
      remedy: holder.process > 0 ? "kill \(holder.process)" : "sudo fuser -v \(path)   # lists the programs; end them")
  }

  private func refusal(_ file: FileFact) -> Finding {
    let detail = "this user may not open it (\(file.permissions))"
    // Machines have such ports whether anything is connected to them or not.
    if !isNamed, path.hasPrefix("/dev/ttyS") { return .unknown(subject, "\(detail), should an NFC device be on it") }
    let group = file.group == "root" || file.group == "?" ? "dialout" : file.group
    return .problem(
      subject, detail, remedy: "sudo usermod -aG \(group) \"$USER\"   # then log in again")
  }
}
