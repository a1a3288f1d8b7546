import Foundation
import TestSupport
import Testing

/// `tap lab usb`, as its users run it: the reader is ours, pcscd and libccid are those of the system.
@Suite("The simulated USB reader of tap lab", .blocks, .serialized, .timeLimit(.minutes(10)))
struct LabUSBTests {
  /// A laboratory, what its first line says, and the end of its standard input.
  final class Lab {
    let program: ProgramRun
    /// The reader, as `--reader` takes it.
    let address: String
    let reader: String
    let socket: String
    /// The variables of programs that see the bus and use the pcscd of the laboratory.
    let environment: [String: String]
    private let input: FileHandle

    /// - Parameter hasService: Whether it has a pcscd; otherwise its reader is for libnfc.
    init(_ arguments: String..., hasService: Bool = true) throws {
      let pipe = Pipe()
      input = pipe.fileHandleForWriting
      let high = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 10)
      defer { close(high) }
      let service = hasService ? ["--pcscd"] : []
      let words = ["lab", "usb", "--card", TapProgram.card("visa-cvn18"), "--format", "json"] + service + arguments
      program = try ProgramRun(TapProgram.path, words, descriptors: [0: high])
      _ = program.wait(timeout: .seconds(60)) { $0.output.contains("\n") }
      let line = try #require(program.output.split(separator: "\n").first, "\(program.errors)")
      let address = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let keys = ["address", "device", "environment"] + (hasService ? ["reader", "socket"] : [])
      #expect(address.keys.sorted() == keys)
      self.address = try #require(address["address"] as? String)
      reader = address["reader"] as? String ?? ""
      socket = address["socket"] as? String ?? "/nowhere"
      let bus = try #require(address["environment"] as? [String: String])
      environment = bus.merging(["PCSCLITE_CSOCK_NAME": socket]) { $1 }
    }

    func type(_ line: String) { input.write(Data("\(line)\n".utf8)) }

    func accept() throws -> TapProgram.Run {
      try TapProgram.finish(
        TapProgram.start(
          [
            "accept", "--reader", "pcsc:\(reader)", "--amount", "12.34", "--currency", "978", "--format", "json",
            "--timeout", "30",
          ], environment: ["PCSCLITE_CSOCK_NAME": socket]))
    }

    func end() throws {
      program.signal(SIGINT)
      #expect(try program.finish(timeout: .seconds(60)) == .exited(0), "\(program.errors)")
    }
  }

  @Test(arguments: [
    ("acr122u-picc", "a"), ("acs-acr1252-dual-reader", "a"), ("scm-scl011", "a"), ("hid-omnikey-5422", "a"),
    ("scm-scl011", "b"),
  ])
  func `a payment is taken at a simulated reader`(_ device: String, _ type: String) throws {
    let lab = try Lab("--device", device, "--type", type)
    let run = try lab.accept()
    #expect(run.code == 0, "\(device): \(run.output)\(run.errors)")
    try lab.end()
  }

  @Test func `payments one after the other are approved`() throws {
    let lab = try Lab()
    for _ in 0..<4 {
      let run = try lab.accept()
      #expect(run.code == 0, "\(run.output)\(run.errors)")
    }
    try lab.end()
  }

  @Test func `a reader that was unplugged and plugged in takes payments again`() throws {
    let lab = try Lab()
    lab.type("unplug")
    lab.type("plug")
    // pcscd needs a moment until it has the reader again: no reader is exit code 3.
    var run = try lab.accept()
    for _ in 0..<50 where run.code == 3 { run = try lab.accept() }
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    try lab.end()
  }

  /// A value of --device, and what is said of it; nil for a reader.
  @Test(arguments: [
    ("ACR122", nil), ("acs-acr1252-dual", nil), ("acs-acr", "no reader of --list and no file has this name"),
    ("scm-scl01l", "Did you mean \"scm-scl011\"?"), ("./scm-scl011", "no reader of --list"),
  ])
  func `a reader is named by the only name with a part`(_ device: String, _ message: String?) throws {
    let run = try TapProgram.run("lab", "usb", "--device", device, "--timeout", "1")
    #expect(run.code == (message == nil ? 0 : 1), "\(run.errors)")
    #expect(message.map { run.errors.contains($0) } ?? true, "\(run.errors)")
  }

  /// A laboratory of readers with chips, and what its first line says.
  private func chips(_ arguments: String...) throws -> (program: ProgramRun, address: [String: Any]) {
    let program = try ProgramRun(TapProgram.path, ["lab", "usb", "--format", "json"] + arguments)
    _ = program.wait(timeout: .seconds(60)) { $0.output.contains("\n") }
    let line = try #require(program.output.split(separator: "\n").first, "\(program.errors)")
    return (program, try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]))
  }

  private static func atBus(_ address: [String: Any]) -> [String: String] {
    address["environment"] as? [String: String] ?? [:]
  }

  private static let payment = ["--amount", "12.34", "--currency", "978", "--format", "json", "--timeout", "30"]

  // libnfc does not look for type B with a PN531.
  @Test(arguments: [
    ("scl3711", "a"), ("acr122u", "a"), ("ask-logo", "a"), ("sony-pn531", "a"), ("scl3711", "b"), ("acr122u", "b"),
  ])
  func `payments are taken through libnfc at a simulated reader with a chip`(_ device: String, _ type: String) throws {
    let (program, address) = try chips(
      "--device", device, "--card", TapProgram.card("visa-cvn18"), "--type", type)
    #expect(address.keys.sorted() == ["address", "device", "environment"])
    for _ in 0..<2 {
      let run = try TapProgram.finish(
        TapProgram.start(
          ["accept", "--reader", address["address"] as? String ?? ""] + Self.payment, environment: Self.atBus(address)))
      #expect(run.code == 0, "\(device): \(run.output)\(run.errors)")
    }
    program.signal(SIGINT)
    #expect(try program.finish() == .exited(0), "\(program.errors)")
  }

  @Test func `an ACR122U presents a card to an SCL3711`() throws {
    let (program, address) = try chips("--device", "acr122u", "--beside", "scl3711")
    let card = try TapProgram.start(
      ["present", "--link", address["link"] as? String ?? "", "--card", TapProgram.card("visa-cvn18")],
      environment: Self.atBus(address))
    let run = try TapProgram.finish(
      TapProgram.start(
        ["accept", "--reader", address["address"] as? String ?? ""] + Self.payment, environment: Self.atBus(address)))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(try TapProgram.finish(card).code == 0)
    program.signal(SIGINT)
    #expect(try program.finish() == .exited(0), "\(program.errors)")
  }

  /// Arguments that do not go together, and what is said of them.
  @Test(arguments: [
    (["--device", "scl3711", "--pcscd"], 3, "leave --pcscd out"),
    (["--device", "acr122u", "--beside", "scm-scl011"], 3, "two readers with a chip"),
    (["--device", "acr122u", "--beside", "scl3711", "--pcscd"], 64, "leave --pcscd out"),
  ])
  func `readers that cannot do what is asked are refused`(_ words: [String], _ code: Int32, _ says: String) throws {
    let run = try TapProgram.finish(TapProgram.start(["lab", "usb"] + words))
    #expect(run.code == code && run.errors.contains(says), "\(run.code): \(run.errors)")
  }

  @Test func `the list names the readers, and a line that is unknown the lines that are known`() throws {
    let list = try TapProgram.run("lab", "usb", "--list")
    #expect(list.code == 0 && list.output.contains("acs-acr1252-dual-reader\n"), "\(list.output)")
    let lab = try Lab()
    lab.type("fault wombat")
    _ = lab.program.wait(timeout: .seconds(30)) { $0.errors.contains("lost-interrupt") }
    #expect(lab.program.errors.contains("fault NAME"), "\(lab.program.errors)")
    try lab.end()
  }
}
