/* A USB bus for pcscd on which a test plugs readers in and out. This library is preloaded into an unmodified pcscd. It
 * replaces libudev, and it redirects the directory of reader drivers to one that the test owns. No privilege is needed.
 *
 * USB_BUS is the descriptor of a socket that carries commands of two octets: "+N" adds and "-N" removes device N (1 to
 * 9). End of file on the socket ends pcscd. USB_DRIVERS is the directory that replaces the one of the drivers. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One device and its interface, as libudev reports them. */
struct udev_device {
  const char *action;
  char node[32], name[16];
};

static struct udev_device device, interface;
static int something;

void *udev_new(void) { return &something; }
void *udev_unref(void *udev) { return NULL; }

/* The bus is empty when pcscd starts. */
void *udev_enumerate_new(void *udev) { return &something; }
int udev_enumerate_add_match_subsystem(void *enumerate, const char *subsystem) { return 0; }
int udev_enumerate_scan_devices(void *enumerate) { return 0; }
void *udev_enumerate_get_list_entry(void *enumerate) { return NULL; }
void *udev_enumerate_unref(void *enumerate) { return NULL; }
void *udev_list_entry_get_next(void *entry) { return NULL; }
const char *udev_list_entry_get_name(void *entry) { return NULL; }
void *udev_device_new_from_syspath(void *udev, const char *path) { return NULL; }

void *udev_monitor_new_from_netlink(void *udev, const char *name) { return &something; }
int udev_monitor_filter_add_match_subsystem_devtype(void *monitor, const char *subsystem, const char *type) { return 0; }
int udev_monitor_enable_receiving(void *monitor) { return 0; }
int udev_monitor_get_fd(void *monitor) { return atoi(getenv("USB_BUS")); }

struct udev_device *udev_monitor_receive_device(void *monitor) {
  char command[2];
  if (read(udev_monitor_get_fd(monitor), command, sizeof command) != sizeof command) _exit(0);
  interface.action = command[0] == '+' ? "add" : "remove";
  snprintf(interface.name, sizeof interface.name, "1-%c:1.0", command[1]);
  snprintf(device.node, sizeof device.node, "/dev/bus/usb/001/00%c", command[1]);
  return &interface;
}

struct udev_device *udev_device_unref(struct udev_device *gone) { return NULL; }
const char *udev_device_get_action(struct udev_device *of) { return of->action; }
const char *udev_device_get_sysname(struct udev_device *of) { return of->name; }
const char *udev_device_get_devnode(struct udev_device *of) { return of->node; }

struct udev_device *udev_device_get_parent_with_subsystem_devtype(
    struct udev_device *of, const char *subsystem, const char *type) {
  return &device;
}

const char *udev_device_get_sysattr_value(struct udev_device *of, const char *attribute) {
  static const char *const values[][2] = {{"idVendor", "072f"}, {"idProduct", "2200"}, {"bInterfaceNumber", "00"}};
  for (size_t index = 0; index < sizeof values / sizeof *values; index++)
    if (strcmp(attribute, values[index][0]) == 0) return values[index][1];
  return NULL;
}

/* Returns the path to open: a path in the directory of drivers is redirected. */
static const char *shown(const char *path, char *room, size_t size) {
  static const char drivers[] = "/usr/lib/pcsc/drivers";
  if (path == NULL || strncmp(path, drivers, sizeof drivers - 1) != 0) return path;
  snprintf(room, size, "%s%s", getenv("USB_DRIVERS"), path + sizeof drivers - 1);
  return room;
}

DIR *opendir(const char *path) {
  char room[4096];
  DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
  return real(shown(path, room, sizeof room));
}

FILE *fopen(const char *path, const char *mode) {
  char room[4096];
  FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
  return real(shown(path, room, sizeof room), mode);
}

void *dlopen(const char *path, int mode) {
  char room[4096];
  void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  return real(shown(path, room, sizeof room), mode);
}
