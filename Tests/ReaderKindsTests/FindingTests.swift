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
    (PCSCReaderStatus(name: "R", card: nil, isUnresponsive: true), .problem, "does not answer its driver any more"),
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

  /// The settings of pcscd's driver, with two readers.
  private static let settings = """
    <plist version="1.0"><dict>
    <key>ifdDriverOptions</key><string>0x0001</string>
    <key>ifdVendorID</key><array><string>0x072F</string><string>0x04E6</string></array>
    <key>ifdProductID</key><array><string>0x2200</string><string>0x5291</string></array>
    <key>ifdFriendlyName</key><array><string>ACS ACR122U</string><string>R &amp; D Reader</string></array>
    </dict></plist>
    """

  /// A device, the readers of pcscd, the verdict, something that is said, and the remedy's beginning.
  static let served: [(USBDevice, [String], Finding.Verdict, String, String?)] = [
    (acr122(0x0206), ["ACS ACR122U PICC Interface 00 00"], .ok, "pcscd has it", nil),
    (acr122(0x0206), ["Virtual PCD 00 00"], .problem, "pcscd does not have it", "sudo systemctl restart"),
    (acr122(nil), [], .problem, "pcscd does not have it", "sudo systemctl restart"),
    (acr122(0x0205), [], .problem, "refuses its firmware 2.05; it takes 2.06 and later", "sudo sed -i"),
    (acr122(0x0206, "usbfs"), [], .problem, "another program than pcscd has claimed it", "sudo fuser -v /dev/bus"),
    (acr122(0x0206, "usbfs"), ["ACS ACR122U 00 00"], .ok, "pcscd has it", nil),
    (USBDevice(identifier: "04e6:5291", interfaceClasses: ["0b"]), ["R & D Reader 00 00"], .ok, "for pcscd", nil),
    (USBDevice(identifier: "1234:5678", interfaceClasses: ["0b"]), [], .problem, "pcscd does not have it", "sudo"),
    (USBDevice(identifier: "1234:5678", interfaceClasses: ["0b"]), ["R 00 00"], .ok, "for pcscd", nil),
  ]

  private static func acr122(_ release: UInt16?, _ drivers: String...) -> USBDevice {
    USBDevice(
      identifier: "072f:2200", path: "/dev/bus/usb/001/002", interfaceClasses: ["0b"], drivers: drivers,
      release: release)
  }

  @Test(arguments: served.indices)
  func `a smart card reader is for pcscd only when pcscd has it`(_ row: Int) {
    let (device, readers, verdict, text, remedy) = Self.served[row]
    var facts = SetupState()
    facts.ccid = CCIDState(isInstalled: true, settings: Self.settings)
    facts.usb = [device]
    facts.service.answer = .success(readers.map { PCSCReaderStatus(name: $0, card: nil) })
    #expect(facts.usbFindings.map(\.verdict) == [verdict])
    #expect(facts.usbFindings[0].detail.contains(text), "\(facts.usbFindings)")
    #expect(facts.usbFindings[0].remedy?.hasPrefix(remedy ?? "?") ?? (remedy == nil), "\(facts.usbFindings)")
  }

  @Test func `old firmware that the driver was asked to take is no reason`() {
    var facts = SetupState()
    facts.ccid = CCIDState(isInstalled: true, settings: Self.settings.replacing("0x0001", with: "0x0005"))
    facts.usb = [Self.acr122(0x0205)]
    facts.service.answer = .success([])
    #expect(facts.usbFindings.map(\.detail) == ["it is connected, and pcscd does not have it"])
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
