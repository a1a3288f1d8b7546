import ArgumentParser
import Foundation
import Glibc
import ProcessGuard

#if LinuxDevice
  extension ServeCommand {
    /// Restricts this process when its arguments are those of `serve`. Call it before the process has a second thread.
    static func restrictIfAsked() {
      guard let command = (try? TapDevice.parseAsRoot()) as? ServeCommand else { return }
      command.rules.apply()
      SystemCalls([.administration, .memoryFiles]).giveUp()
    }

    /// The modules of PAM are chosen by the administrator: they read and start what they need. Written are the state,
    /// the socket, the folders in which PAM counts failures, and devices: the TPM, and what a module finds, such as a
    /// security key. The only TCP port is one of a TPM simulator.
    private var rules: FileRules {
      // A rule needs a folder that exists. The program reports later that one cannot be created.
      _ = unsafe mkdir(options.state, 0o700)
      var rules = FileRules.base
      rules.execute.append("/")
      rules.devices.append("/dev")
      rules.write = [options.state, "/run", "/var/log"]
      if let socket { rules.write.append(URL(filePath: socket).deletingLastPathComponent().path) }
      // Of modules that ask a directory service.
      rules.connect = nil
      return rules
    }
  }
#else
  extension ServeCommand {
    static func restrictIfAsked() {}
  }
#endif
