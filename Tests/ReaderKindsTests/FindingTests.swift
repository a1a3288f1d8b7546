import Links
import PCSCReader
import Testing

@testable import ReaderKinds

/// From facts to findings: no machine is touched.
@Suite("tap readers --check, from facts")
struct FindingTests {
  private static let silence = Result<[PCSCReaderStatus], LinkError>.failure(
    LinkError(.serviceUnavailable, "no response"))

  private static func service(
    _ socket: FileSight, installed: Bool = true, processes: [Int] = []
  ) -> ServiceState {
    ServiceState(socket: socket, isInstalled: installed, processes: processes, answer: silence)
  }

  private static let open = FileSight.present(FileFact(isSocket: true))

  /// Facts, how many problems, something that the last finding says, its remedy's beginning.
  static let services: [(ServiceState, Int, String, String)] = [
    (service(.absent), 1, "there is no socket at /run/pcscd/pcscd.comm", "sudo systemctl enable --now pcscd.socket"),
    (service(.absent, processes: [7]), 1, "though a pcscd runs (process 7)", "sudo systemctl enable"),
    (service(.absent, installed: false), 2, "pcscd does not run", "sudo apt-get install -y pcscd && sudo systemctl"),
    (service(.hidden), 1, "may not search the directory", "sudo chmod o+x /run/pcscd"),
    (
      service(.present(FileFact(isSocket: true, mode: 0o700, isWritable: false))), 1,
      "may not connect to /run/pcscd/pcscd.comm (0700 root:root)", "sudo chmod o+rw /run/pcscd/pcscd.comm"
    ),
    (service(.present(FileFact())), 1, "is no socket", "sudo rm /run/pcscd/pcscd.comm"),
    (service(open), 1, "left its socket behind", "sudo systemctl restart pcscd"),
    (service(open, processes: [7]), 1, "the client says: no response", "sudo systemctl restart pcscd"),
    (ServiceState(socket: open, isInstalled: true), 1, "has not answered within 5.0 seconds", "sudo systemctl restart"),
  ]

  @Test(arguments: services.indices)
  func `a reader service that does not answer`(_ row: Int) throws {
    let (facts, count, text, remedy) = Self.services[row]
    let problems = facts.findings.filter { $0.verdict == .problem }
    #expect(problems.count == count)
    #expect(problems.last?.detail.contains(text) == true, "\(problems)")
    #expect(problems.last?.remedy?.hasPrefix(remedy) == true, "\(problems)")
  }

  /// Reader, verdict, something that is said.
  static let readers: [(PCSCReaderStatus, Finding.Verdict, String)] = [
    (PCSCReaderStatus(name: "R", card: nil), .ok, "no card"),
    (PCSCReaderStatus(name: "R", card: [0x3B, 0x80]), .ok, "a card"),
    (PCSCReaderStatus(name: "R", card: [0x3B, 0x80], isInUse: true), .ok, "another program shares"),
    (PCSCReaderStatus(name: "R", card: [0x3B, 0x80], isInUse: true, isExclusive: true), .problem, "to itself"),
    (PCSCReaderStatus(name: "R", card: []), .problem, "does not answer to reset"),
  ]

  @Test(arguments: readers.indices)
  func `the readers of a service that answers`(_ row: Int) {
    let (reader, verdict, text) = Self.readers[row]
    let findings = ServiceState(answer: .success([reader])).findings
    #expect(findings.map(\.subject) == ["reader service", "pcsc:R"])
    #expect(findings[0].detail.hasSuffix("and has 1 reader"))
    #expect(findings[1].verdict == verdict)
    #expect(findings[1].detail.contains(text))
  }

  @Test func `readers that share a name`() {
    let reader = PCSCReaderStatus(name: "R", card: nil)
    let other = PCSCReaderStatus(name: "S", card: nil)
    #expect(ServiceState(answer: .success([reader, other])).findings.allSatisfy { $0.verdict == .ok })
    let findings = ServiceState(answer: .success([reader, other, reader])).findings
    #expect(findings.filter { $0.verdict == .problem }.map(\.subject) == ["pcsc:R"])
  }

  @Test func `libnfc and pcscd on one ACR122U`() {
    var facts = SetupState()
    facts.usb = [USBDevice(identifier: "072f:2200", path: "/dev/bus/usb/001/002", interfaceClasses: ["0b"])]
    facts.service.answer = .success([PCSCReaderStatus(name: "ACS ACR122U 00 00", card: nil)])
    #expect(facts.usbFindings.map(\.verdict) == [.ok])
    facts.nfc.environment = ["LIBNFC_DEVICE": "acr122_usb:001:002"]
    #expect(facts.usbFindings.map(\.verdict) == [.problem])
    #expect(facts.usbFindings[0].remedy?.hasPrefix("sudo systemctl stop pcscd.socket") == true)
    // Without pcscd it is libnfc's, as far as this user may open it.
    facts.service.answer = nil
    facts.usb?[0].node = .present(FileFact())
    #expect(facts.usbFindings.map(\.verdict) == [.ok])
  }

  @Test func `a smart card reader that pcscd does not see`() {
    var facts = SetupState()
    facts.usb = [USBDevice(identifier: "1234:5678", product: "Reader 5", interfaceClasses: ["0b"])]
    facts.service.answer = .success([])
    #expect(facts.usbFindings.map(\.verdict) == [.ok, .problem])
    #expect(facts.usbFindings[1].detail == "pcscd does not see USB 1234:5678 Reader 5, which is connected")
  }

  /// File, whether it is named to libnfc, holder, verdict, the remedy's beginning.
  static let ports: [(FileSight, String, Bool, SerialPort.Holder?, Finding.Verdict, String?)] = [
    (.present(FileFact()), "/dev/ttyUSB0", false, nil, .ok, nil),
    (
      .present(FileFact(group: "dialout", mode: 0o660, isReadable: false, isWritable: false)), "/dev/ttyUSB0", false,
      nil, .problem, "sudo usermod -aG dialout"
    ),
    (
      .present(FileFact(group: "uucp", isWritable: false)), "/dev/ttyACM0", true, nil, .problem, "sudo usermod -aG uucp"
    ),
    (.present(FileFact(isWritable: false)), "/dev/ttyS0", false, nil, .unknown, nil),
    (.present(FileFact(isWritable: false)), "/dev/ttyS0", true, nil, .problem, "sudo usermod -aG dialout"),
    (.absent, "/dev/ttyUSB0", true, nil, .problem, "ls -l /dev/ttyUSB*"),
    (.present(FileFact()), "/dev/ttyS0", false, .init(process: 9, name: "getty"), .problem, "kill 9"),
    (.present(FileFact()), "/dev/ttyS0", true, .init(process: -1, name: "x"), .problem, "sudo fuser -v /dev/ttyS0"),
  ]

  @Test(arguments: ports.indices)
  func `serial ports`(_ row: Int) {
    let (file, path, isNamed, holder, verdict, remedy) = Self.ports[row]
    let port = SerialPort(path: path, file: file, isNamed: isNamed, holders: holder.map { [$0] } ?? [])
    #expect(port.finding.verdict == verdict)
    #expect(port.finding.remedy?.hasPrefix(remedy ?? "?") ?? (remedy == nil), "\(port.finding)")
  }

  @Test func `tap-nfc is found beside tap, and libnfc's devices or its error are reported`() {
    let failure = LinkError(.serviceUnavailable, "cannot start tap-nfc")
    #expect(NFCState(devices: .success([])).findings[1].verdict == .ok)
    #expect(NFCState(devices: .failure(failure)).findings[1].remedy?.hasPrefix("swift build --product tap-nfc") == true)
    let installed = NFCState(program: "/p", isProgramExecutable: true, devices: .failure(failure))
    #expect(installed.findings[1].detail == "/p starts, but: cannot start tap-nfc")
    #expect(NFCState().findings[1].detail.contains("within 40 s"))
  }

  @Test func `every problem has a remedy, and its lines show it`() {
    let finding = Finding.problem("a", "b", remedy: "c")
    #expect(finding.lines == ["problem      a: b", "             remedy: c"])
    #expect(Finding.unknown("a", "b").lines == ["cannot tell  a: b"])
  }
}
