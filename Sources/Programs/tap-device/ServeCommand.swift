import ArgumentParser
import DeviceAuthentication
import DeviceLink
import Foundation
import Glibc
import LinuxDevice
import Octets
import ProcessGuard
import ProgramSupport

#if LinuxDevice
  /// Serves the device of one user until SIGTERM or SIGINT.
  struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve", abstract: "Serve the device of one user until SIGTERM or SIGINT.",
      help: CommandHelp(
        examples: [
          "tap-device serve --user alice": "Serve the device of a user on the default socket.",
          "tap-device serve --user alice --socket /run/alice.sock --verbose":
            "Serve on another socket, with the messages of the TPM library.",
        ],
        exits: [
          .done: "ended by a signal",
          .error: "the device cannot be served",
        ],
        environment: [.init("TSS2_LOG", "the messages of the TPM library")],
        related: ["tap_device"]))

    @Option(help: "The user whose device this is, and whose programs may use it.")
    var user: String
    @Option(
      help: ArgumentHelp("The socket; /run/tap-device/UID.sock when left out.", valueName: "path"), completion: .file())
    var socket: String?
    @OptionGroup var options: DeviceOptions
    @OptionGroup var integrity: IntegrityOptions
    @Option(help: ArgumentHelp("The directory of PAM's service files.", valueName: "dir"), completion: .directory)
    var pam = "/etc/pam.d"
    @Option(help: ArgumentHelp("The directory of the prints of fprintd.", valueName: "dir"), completion: .directory)
    var prints = "/var/lib/fprint"
    @Option(help: ArgumentHelp("The TPM, as a transport and its configuration.", valueName: "tcti"))
    var tcti = "device:/dev/tpmrm0"
    @Flag(help: "Also print what the TPM library logs; TSS2_LOG in the environment selects its messages.")
    var verbose = false

    func run() async throws {
      // The terminal of a client is never the terminal of this process, which could be stopped for using it.
      leaveTerminal()
      umask(0o077)
      // Its messages repeat errors that this program reports in sentences. The library reads the variable at its first
      // message; a variable that is set keeps its value.
      if !verbose { unsafe setenv("TSS2_LOG", "all+none", 0) }
      let (ends, continuation) = AsyncStream<Void>.makeStream()
      let interrupt = Interrupt(repeats: true) { _, _ in continuation.yield() }
      defer { interrupt.end() }
      let number = try userNumber()
      let integrity = try checkedIntegrity()
      do throws(DeviceAuthenticationError) {
        let device = try UserDevice(settings(number))
        await report(device)
        for gap in ProcessProtection.gaps { Self.report("warning: \(gap)") }
        let path = try socketPath(number)
        let server = try DeviceLinkServer(served(device, integrity), at: path, user: number)
        FileHandle.standardError.write(Data("tap-device serves \(user.visible()) at \(path.visible())\n".utf8))
        for await _ in ends { break }
        await server.stopped()
      } catch {
        throw Failure("\(error)")
      }
    }

    private func userNumber() throws -> UInt32 {
      // The entry is read before the next call for one.
      guard let entry = unsafe getpwnam(user) else { throw Failure("this machine has no user \(user)") }
      return unsafe entry.pointee.pw_uid
    }

    private func settings(_ number: UInt32) -> UserDeviceSettings {
      var settings = UserDeviceSettings(user: user, userNumber: number)
      settings.shadow = options.shadow
      settings.state = options.state
      settings.pamDirectory = pam
      settings.transport = tcti
      settings.prints = prints
      return settings
    }

    /// Checks the lock at the start. A part that does not work is reported, and every request reports it again.
    private func report(_ device: UserDevice) async {
      do throws(DeviceAuthenticationError) {
        try await device.settle()
      } catch {
        FileHandle.standardError.write(Data("error: \("\(error)".visible(keeping: "\n"))\n".utf8))
      }
    }

    /// Scans this process, and goes on at random moments.
    private func checkedIntegrity() throws -> IntegrityGuard {
      let integrity = IntegrityGuard(self.integrity.checks)
      let remarks = ProcessIntegrity.remarks
      if !remarks.isEmpty { Self.report("tap-device: " + remarks.joined(separator: "; ")) }
      let found = integrity.findings()
      guard found.isEmpty else { throw Failure(Self.text(found)) }
      integrity.watch {
        Self.report("error: tampering: \(Self.text($0))")
      } onRemarks: {
        Self.report("tap-device: " + $0.joined(separator: "; "))
      }
      return integrity
    }

    private static func text(_ findings: [IntegrityFinding]) -> String {
      findings.map(\.description).joined(separator: "; ")
    }

    private static func report(_ line: String) {
      FileHandle.standardError.write(Data("\(line.visible())\n".utf8))
    }

    private func served(_ device: UserDevice, _ integrity: IntegrityGuard) -> ServedDevice {
      let ports = DevicePorts(
        biometric: device.sensor, passcode: TerminalPasscode(passcode: device.passcode, terminal: nil),
        lock: device.lock, keys: device.keys, monitor: device.monitor)
      return ServedDevice(ports, integrity: integrity) { TerminalPasscode(passcode: device.passcode, terminal: $0) }
    }

    /// The path of the socket. The directory of the default path is created.
    private func socketPath(_ number: UInt32) throws(DeviceAuthenticationError) -> String {
      if let socket { return socket }
      let path = DeviceLinkClient.defaultSocket(user: number)
      let directory = (path as NSString).deletingLastPathComponent
      // The calls only read the path.
      guard unsafe mkdir(directory, 0o755) == 0 || errno == EEXIST else {
        throw .unavailable(reason: "\(directory) cannot be created: run tap-device as root, or name a --socket")
      }
      unsafe chmod(directory, 0o755)
      return path
    }

    private func leaveTerminal() {
      // The call only reads the path.
      let terminal = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
      guard terminal >= 0 else { return }
      _ = ioctl(terminal, UInt(TIOCNOTTY))
      close(terminal)
    }
  }
#else
  /// A build without the C libraries.
  struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve", abstract: "Not in this build, which has no trait LinuxDevice.")

    func run() throws {
      throw Failure("tap-device was built without the trait LinuxDevice; build it without --disable-default-traits")
    }
  }
#endif
